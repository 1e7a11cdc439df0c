/*
 * What the files of the extension share. No C++ frame is ever on the stack when the server raises an error: every
 * server call inside a callback of capi runs in host_protect, which keeps the error for host_check to raise later.
 */
#ifndef SOTTO_EXTENSION_H
#define SOTTO_EXTENSION_H

#include "postgres.h"

#include "access/table.h"
#include "capi/sotto_c.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/rel.h"
#include "utils/snapshot.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* The place from which a call into capi is made. */
typedef struct Host {
  MemoryContext context; /* for what outlives a callback */
  ErrorData *kept;       /* the error that stopped a callback */
  const char *instead;   /* all the caller may know of it, or null */
} Host;

extern void host_init(Host *host);
/* Runs body; an error is kept and answered by 1. */
extern int host_protect(Host *host, void (*body)(void *), void *argument);
/* The same where the library may hold a lock on an anchor: nothing is sent to the client meanwhile, who may not read. */
extern int host_protect_silently(Host *host, void (*body)(void *), void *argument);
/* Raises what a call into capi came back with; returns for SOTTO_OK. */
extern void host_check(const Host *host, sotto_status status, const sotto_error *error);
extern int host_poll(void *host);

/* Acts as the owner of the extension's tables, with a search path nobody else decides. */
typedef struct Owner {
  Oid user;
  int security;
  int guc_level;
  bool read_only;
} Owner;

extern void owner_begin(Owner *before);
extern void owner_end(const Owner *before);
/* Until then. */
extern void set_for_now(const char *name, const char *value);
extern Oid owner_role(void);

/* Where the rows of a registered table are read from: a packed copy, the table itself, or the shards of it. */
typedef enum Layout { LAYOUT_PACKED, LAYOUT_UNPACKED, LAYOUT_SHARDED } Layout;

/* As declarations and sotto.dataset spell it. Throws for another name. */
extern Layout layout_by_name(const char *name);
extern const char *layout_name(Layout layout);

/* A registered table. */
typedef struct Registered {
  int32 id;
  int32 generation;
  int32 ledger;
  char *name;
  char *schema;
  char *label;
  char *features;
  char *fingerprint;
  Layout layout;
  char *curator; /* who registered it */
  Oid source;
  sotto_facts facts;
  uint32 block_rows;
} Registered;

/* Throws an error the caller may see for a name that is not there. */
extern Registered *registered_load(const char *name);
extern char *block_table_name(int32 id, int32 generation);
extern Oid block_table(const Registered *dataset);
extern bool dataset_is_array(const Registered *dataset);
/* Refuses facts other than those its declaration has: noise is made for the ones, rows are clipped to the others. */
extern void require_declared_facts(const Registered *dataset);
/* The number of a model the ledger has released. */
extern int64 released_model(int32 ledger, uint64 entry, int stored);

/* The packed copy, open for reading. */
typedef struct PackedRows {
  Host *host;
  Relation relation;
  TupleTableSlot *slot;
  Snapshot snapshot;
  Size block_bytes;
  uint64 blocks;
  bool in_memory;
  uint64 copied; /* the blocks up to this one */
  char *memory;  /* all blocks, or one of the file's */
  int file;      /* a temporary one, or -1 */
  uint64 block; /* being read */
  const float *bytes;
} PackedRows;

extern void packed_open(PackedRows *rows, Host *host, const Registered *dataset);
extern void packed_close(PackedRows *rows);
extern sotto_rows packed_rows(PackedRows *rows, const Registered *dataset);
extern uint32 packed_block_rows(uint32 features);
extern Size packed_block_bytes(uint32 features);
/* sotto.worker_wait, in milliseconds. */
extern int worker_wait(void);
/* sotto.rows_in_memory, in bytes. */
extern Size rows_in_memory(void);
/* Lets the library use sotto.threads threads, until it is asked again. */
extern void use_threads(void);

/* The ledger of a data set, in the database. */
typedef struct LedgerStore {
  Host *host;
  int32 ledger;
  const char *dataset;
  const char *analyst; /* who is charged */
  char place[96];
  struct Committer *committer; /* the process that commits its records, once there are some; or null */
  bool started;                /* there was one */
} LedgerStore;

extern void store_init(LedgerStore *store, Host *host, int32 ledger, const char *dataset);
/* Goes on with another ledger. */
extern void store_use(LedgerStore *store, int32 ledger);
/* Waits for the process that commits, which the library would do later. */
extern void store_prepare(LedgerStore *store);
/* Lets the process that commits go, as the end of the host's memory context does. */
extern void store_close(LedgerStore *store);
extern sotto_store store_callbacks(LedgerStore *store);
/* Refuses a standby, before an anchor is looked for. */
extern void require_primary(void);
/* Names become parts of JSON texts. A database in SQL_ASCII takes any bytes, and roles are those of all databases. */
extern void require_utf8(const char *text, const char *what);
extern char *anchor_path(const char *fingerprint);
extern char *anchor_place(void);

/* The shards of a data set, to be asked. */
typedef struct ShardSet {
  Host *host;
  Registered *dataset;
  Oid reader;
  bool training; /* for whom may not read the shards */
  char *column; /* by which the table is partitioned */
  int count;
  char **values;
  uint64_t *sizes;
  char (*fingerprints)[65]; /* after a survey */
  sotto_shards shards;
} ShardSet;

extern char *cluster_key(void);
/* Asks the shards of a table what they hold. */
extern void shards_survey(ShardSet *set, Host *host, Registered *dataset, char whole[65]);
/* Those of a registered data set. */
extern void shards_open(ShardSet *set, Host *host, Registered *dataset);

/* ---- reading tables (read_table.c) */

/* A table and for whom it is read. */
typedef struct TableToRead {
  Oid source;
  Oid role; /* reader_of says who reads it then, once it is locked */
  const char *label;
  const char *features;
  bool shuffled; /* in an order drawn at random, which no value decides */
} TableToRead;

/* A row as it is read: cells of the features and then the label; or the numbers of an array. */
typedef struct TableRow {
  const sotto_cell *cells;
  const double *numbers; /* null: cells */
  size_t number_count;
  sotto_cell label;
} TableRow;

typedef void (*take_table_row)(void *taker, const TableRow *row);

/* `values`: the numbers of an array column; 0 for columns of cells. */
extern void read_table(const TableToRead *table, uint32 values, take_table_row take, void *taker);
/* Whose rights the rows are read with: the role's, but those of the table's owner where the role is a superuser. */
extern Oid reader_of(Oid role, Oid source);
/* The same for the role that registered a data set. */
extern Oid dataset_reader(const Registered *dataset);
extern Oid registrar_of(const Registered *dataset);
/* Acts as a reader who can do nothing but read; ended by owner_end. */
extern void reader_begin(Owner *before, Oid reader);
extern char *relation_text(Oid relation);
/* A cursor over a query (or EXPLAIN of one) whose one table must be the source, which the caller has locked. Refused before it is planned if
 * the name in it means another table by now. */
extern Portal open_cursor(const char *text, Oid source);
/* Refuses columns that are missing, or whose values are not read by a function of the server's own. */
extern void require_plain_columns(Oid source, const char *label, const char *features, bool array);
extern void require_plain_type(Oid type);
extern bool is_plain_type(Oid type);

/* ---- what is known of columns before they are read (draft_table.c) */

/* For sotto_schema and sotto_draft_new. */
extern char *column_types(Oid source);

/* ---- encoding them (encode_table.c) */

typedef struct Packing {
  sotto_facts facts;
  uint32 block_rows;
  char fingerprint[65];
  bool check; /* the role that registers the table is told what becomes of its rows */
} Packing;

extern char **declared_columns(const char *features, int *count);
extern sotto_encoder *encoder_open(const char *schema, const char *label, const char *features, sotto_label_use use,
                                   int *column_count, char ***columns);
/* Reads a table as it would be packed, and packs nothing. */
extern void survey_table(const TableToRead *table, const char *schema, Packing *packing);
/* Encodes the rows of a table and packs them. */
extern void pack_table(const TableToRead *table, const char *schema, Oid target, Packing *packing);

/* Feeds the rows of a table to take: labels and vectors as they are encoded. */
typedef void (*take_row)(void *taker, const float *row, float label);
extern void encode_table(const TableToRead *table, sotto_encoder *encoder, take_row take, void *taker);

/* All of them, in memory; or, to judge a model on, the usable ones, and how many were not. */
typedef struct CollectedRows {
  uint32 features;
  uint64 count;
  uint64 room;
  sotto_encoder *judging; /* null: all rows are taken */
  uint64 unusable;
  float *labels;
  float *rows;
} CollectedRows;

extern void collect_table(const TableToRead *table, sotto_encoder *encoder, bool usable, CollectedRows *all);

/* ---- values (row_arguments.c) */

/* The text of a value of a plain type. */
extern sotto_cell plain_cell(Oid type, Datum value);
/* At most one more than wanted: enough to see that there are too many. Of several dimensions: none. */
extern size_t numbers_of_array(ArrayType *array, double *numbers, uint32 wanted);
extern bytea *bytea_of(const char *data, Size size);
extern sotto_cell cell_of_argument(FunctionCallInfo fcinfo, int argument);
extern void cells_of_argument(FunctionCallInfo fcinfo, int argument, sotto_cell *cells, int wanted);
extern size_t numbers_of_argument(FunctionCallInfo fcinfo, int argument, double *numbers, uint32 wanted);

/* A released model; freed with the memory context. */
extern sotto_model *model_open(int64 id, MemoryContext context);

/* ---- what a model says about a value (predict_row.c) */

typedef struct RowReader RowReader;

/* For values of a type: rows, arrays of numbers, JSON. Others are refused. */
extern RowReader *row_reader(Oid type, sotto_model *model);
/* The place of its class, or one beyond the last. */
extern uint32 predict_row(RowReader *reader, Datum row, double *probabilities);

/* A copy in the current memory context; the library's is freed. */
extern char *text_take(sotto_text *text);

#endif
