"""Public ranges and categories of the data sets: from their documentation, or round and wide. Nothing here is
computed from rows, so scaling by it costs no privacy."""

ADULT_NUMERIC = {"age": (0, 100), "education-num": (1, 16), "hours": (0, 100)}
ADULT_LOG = {"gain": 1e5, "loss": 1e4}
ADULT_COLUMNS = ("age workclass weight education education-num marital occupation relationship race sex gain loss "
                 "hours country label").split()
ADULT_CATEGORIES = {
    "workclass": "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay Never-worked ?",
    "education": "Bachelors Some-college 11th HS-grad Prof-school Assoc-acdm Assoc-voc 9th 7th-8th 12th Masters "
                 "1st-4th 10th Doctorate 5th-6th Preschool",
    "marital": "Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent Married-AF-spouse",
    "occupation": "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty Handlers-cleaners "
                  "Machine-op-inspct Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv "
                  "Armed-Forces ?",
    "relationship": "Wife Own-child Husband Not-in-family Other-relative Unmarried",
    "race": "White Asian-Pac-Islander Amer-Indian-Eskimo Other Black",
    "sex": "Female Male",
    "country": "United-States Cambodia England Puerto-Rico Canada Germany Outlying-US(Guam-USVI-etc) India Japan "
               "Greece South China Cuba Iran Honduras Philippines Italy Poland Jamaica Vietnam Mexico Portugal "
               "Ireland France Dominican-Republic Laos Ecuador Taiwan Haiti Columbia Hungary Guatemala Nicaragua "
               "Scotland Thailand Yugoslavia El-Salvador Trinadad&Tobago Peru Hong Holand-Netherlands ?"}

# 41 columns of KDD Cup 1999 and NSL-KDD: texts at 1, 2, 3; two-valued ones among the rest; sizes are heavy-tailed.
KDD_TEXT = {
    1: "tcp udp icmp",
    2: "IRC X11 Z39_50 aol auth bgp courier csnet_ns ctf daytime discard domain domain_u echo eco_i ecr_i efs exec "
       "finger ftp ftp_data gopher harvest hostnames http http_2784 http_443 http_8001 imap4 iso_tsap klogin kshell "
       "ldap link login mtp name netbios_dgm netbios_ns netbios_ssn netstat nnsp nntp ntp_u other pm_dump pop_2 pop_3 "
       "printer private red_i remote_job rje shell smtp sql_net ssh sunrpc supdup systat telnet tftp_u tim_i time "
       "urh_i urp_i uucp uucp_path vmnet whois",
    3: "OTH REJ RSTO RSTOS0 RSTR S0 S1 S2 S3 SF SH"}
KDD_TWO_VALUED = (6, 11, 20, 21)  # land, logged_in, is_host_login, is_guest_login: not continuous
KDD_LOG = {0: 1e5, 4: 2e9, 5: 2e9, 7: 10, 8: 10, 9: 1000, 10: 10, 12: 1e4, 14: 10, 15: 1e4, 16: 1000, 17: 10, 18: 10,
           19: 10}
KDD_LINEAR = {22: 511, 23: 511, 31: 255, 32: 255}

# BANK as DP-AGD encodes it: position -> (kind, bound); the others are 0 or 1.
BANK = {0: ("linear", 100), 18: ("signed_log", 1e6), 23: ("linear", 400), 24: ("log", 1e4), 25: ("log", 100),
        27: ("linear", 1000), 28: ("log", 1000)}
OCCUPANCY = ((10, 35), (0, 100), (0, 2000), (300, 2500), (0, 0.02))
BANKNOTE = ((-10, 10), (-20, 20), (-20, 20), (-10, 10))
ADS_SIZES = (640, 640, 60)  # height, width in pixels, aspect ratio

# The longest a row can be before it is scaled: a column is at most 1, of a category one column is set.
NORMS = {"adult": 14 ** 0.5, "bank": 33 ** 0.5}
