#include "extension.h"

#include "utils/builtins.h"

/*
 * What the library says about itself, about budgets and about released models: functions of what is public, for views and
 * for help.
 */

PG_FUNCTION_INFO_V1(pg_sotto_version);
PG_FUNCTION_INFO_V1(pg_sotto_help);
PG_FUNCTION_INFO_V1(pg_sotto_budget_words);
PG_FUNCTION_INFO_V1(pg_sotto_coefficients);

Datum pg_sotto_version(PG_FUNCTION_ARGS) { PG_RETURN_TEXT_P(cstring_to_text(sotto_version())); }

Datum pg_sotto_help(PG_FUNCTION_ARGS) {
  char *topic = text_to_cstring(PG_GETARG_TEXT_PP(0));
  sotto_text text = {NULL, 0};
  sotto_error error;

  host_check(NULL, sotto_help(topic, &text, &error), &error);
  PG_RETURN_TEXT_P(cstring_to_text(text_take(&text)));
}

/* NULL for a record that is damaged: a view shows the other ledgers, and trainings refuse this one. */
Datum pg_sotto_budget_words(PG_FUNCTION_ARGS) {
  char *terms = text_to_cstring(PG_GETARG_TEXT_PP(0));
  sotto_text words = {NULL, 0};
  sotto_error error;
  sotto_status status = sotto_budget_words(terms, (uint64_t)PG_GETARG_INT64(1), (uint64_t)PG_GETARG_INT64(2), &words, &error);

  if (status == SOTTO_INVALID_DATA || status == SOTTO_INVALID_ARGUMENT) PG_RETURN_NULL();
  host_check(NULL, status, &error);
  PG_RETURN_TEXT_P(cstring_to_text(text_take(&words)));
}

Datum pg_sotto_coefficients(PG_FUNCTION_ARGS) {
  text *model = PG_GETARG_TEXT_PP(0);
  sotto_text list = {NULL, 0};
  sotto_error error;

  host_check(NULL, sotto_model_coefficients(VARDATA_ANY(model), VARSIZE_ANY_EXHDR(model), &list, &error), &error);
  PG_RETURN_TEXT_P(cstring_to_text(text_take(&list)));
}
