/* Messages as they are written, for a server under the address sanitizer: see tools/test_postgres. */
char *bindtextdomain(const char *domain, const char *folder) { return (char *)folder; }
char *bind_textdomain_codeset(const char *domain, const char *codeset) { return (char *)codeset; }
char *textdomain(const char *domain) { return (char *)domain; }
char *gettext(const char *message) { return (char *)message; }
char *dgettext(const char *domain, const char *message) { return (char *)message; }
char *dcgettext(const char *domain, const char *message, int category) { return (char *)message; }
char *ngettext(const char *one, const char *many, unsigned long count) { return (char *)(count == 1 ? one : many); }
char *dngettext(const char *domain, const char *one, const char *many, unsigned long count) {
  return (char *)(count == 1 ? one : many);
}
