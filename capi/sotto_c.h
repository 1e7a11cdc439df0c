#ifndef SOTTO_C_H
#define SOTTO_C_H
/*
 * The C boundary of sotto: for hosts that own the rows and the transactions, such as a database server.
 *
 * Every function returns a status and never throws; nothing here calls longjmp. Callbacks into the host must not let
 * an exception or a longjmp pass through them: a host catches its own errors inside the callback, keeps them, and
 * returns nonzero. The call then unwinds and returns SOTTO_STOPPED, and the host raises what it kept.
 *
 * Texts are UTF-8. Requests, plans, cards and models are JSON with the names of the command line's --json.
 * Only one thread of the host may call the library at a time. After sotto_initialise no thread is started unless
 * sotto_use_threads allows it.
 */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sotto_status {
  SOTTO_OK = 0,
  SOTTO_INVALID_ARGUMENT,
  SOTTO_INVALID_DATA,
  SOTTO_BUDGET_EXCEEDED,
  SOTTO_UNSUPPORTED,
  SOTTO_IO,
  SOTTO_INTERNAL,
  SOTTO_STOPPED /* a callback asked for it */
} sotto_status;

/* What went wrong: the value given, the value required, the parameter. It never contains a value read from a row. */
typedef struct sotto_error {
  char message[1024];
  char field[64];
  char hint[512]; /* what would help, in words of SQL; empty where nothing is known */
  char log[1024]; /* the full text, for the log of the data holder only; empty if the message leaves nothing out */
} sotto_error;

/* A text that the library owns. It ends in a zero byte that size does not count. Free it with sotto_text_free. */
typedef struct sotto_text {
  char* data;
  size_t size;
} sotto_text;

void sotto_text_free(sotto_text* text);

/* Call this once per process, before anything else. */
void sotto_initialise(void);
/*
 * Allows at most this many threads, the caller's included, for sums over rows that the host holds in one piece
 * (sotto_rows.all). Results have the same bits for any number of threads. Only the caller's thread calls the host. The
 * other threads receive no signals of the process and end before the call that started them returns.
 */
void sotto_use_threads(unsigned most);
/* For a host whose process ends inside a callback: when this returns, no other thread reads its rows any more. */
void sotto_leave(void);
const char* sotto_version(void);

/* ------------------------------------------------------------------------------------------------ rows */

/* What is public about a table: its declared shape and bound. */
typedef struct sotto_facts {
  uint64_t rows;
  uint32_t features;
  uint32_t classes;
  double data_norm;
} sotto_facts;

/*
 * Rows in blocks of block_rows; the last block may be shorter. A block consists of its labels, then its rows one after
 * the other, in 32-bit floats. `read` returns the first byte of a block, aligned for floats; the block must stay valid
 * until the next call. The library reads blocks in any order, many times.
 */
typedef struct sotto_rows {
  void* context;
  sotto_facts facts;
  uint32_t block_rows;
  const char* fingerprint; /* of the raw rows, 64 hexadecimal digits */
  const char* sum;         /* the sum that was hashed; null unless these are the rows of a shard */
  int (*read)(void* context, uint64_t block, const float** bytes);
  int (*poll)(void* context); /* called every few thousand rows; nonzero stops */
  /*
   * The place where all blocks lie one after the other once each has been read, or *bytes null if there is none. The
   * library may read and change this memory until the call returns. It reads all blocks in ascending order first, and
   * none by `read` after that. May be null if the blocks never lie together.
   */
  int (*all)(void* context, float** bytes);
} sotto_rows;

/* ------------------------------------------------------------------------------------------------ encoding */

/* The public map from raw columns to vectors, with the columns of one table. */
typedef struct sotto_encoder sotto_encoder;

typedef struct sotto_cell {
  const char* data; /* null: the value is missing */
  size_t size;
} sotto_cell;

/*
 * Makes the complete schema of a table from declarations. features is a JSON object with one key per column, in the
 * order of the schema. Each value is [min, max], ["value", ...], an object of min, max, scale, missing (true for NULL)
 * or values, or null for a number that is taken as it is. One column of {"size": n, ...} is an array of n numbers.
 * options: positive, negative, classes, data_norm, intercept, projection; confirm, the word that suggestions are public;
 * check, a boolean for the host, which changes nothing here.
 * types: {"column": "number", "text", "days" or "seconds" (since 1970) or its ["value", ...]}, as the types of the columns
 * say; others are left out.
 */
sotto_status sotto_schema(const char* label, const char* features, const char* options, const char* types,
                          sotto_text* schema, sotto_error* error);

/* A first declaration, from all rows of a table. NOT FOR RELEASE. `columns` are those that can be read, the label among
 * them. What comes back is a JSON object of features, options and why; what was seen in the rows has "public": false. */
typedef struct sotto_draft sotto_draft;

sotto_status sotto_draft_new(const char* label, const char* types, const char* const* columns, size_t column_count,
                             sotto_draft** draft, sotto_error* error);
void sotto_draft_free(sotto_draft* draft);
sotto_status sotto_draft_row(sotto_draft* draft, const sotto_cell* cells);
/* Call this once. */
sotto_status sotto_draft_finish(sotto_draft* draft, sotto_text* declarations, sotto_error* error);

typedef enum sotto_label_use { SOTTO_LABEL_REQUIRED, SOTTO_LABEL_IGNORED } sotto_label_use;

/* Makes an encoder for rows whose cells come in the order of `columns`, the label included. An array has no columns. */
sotto_status sotto_encoder_new(const char* schema, const char* const* columns, size_t column_count,
                               sotto_label_use label, sotto_encoder** encoder, sotto_error* error);
void sotto_encoder_free(sotto_encoder* encoder);
/* The shape of its rows. `rows` is the number of rows encoded so far. */
sotto_facts sotto_encoder_facts(const sotto_encoder* encoder);
/* The numbers of an array column; 0 for columns of cells. */
uint32_t sotto_encoder_values(const sotto_encoder* encoder);
/* Encodes one row. A value that is missing, not finite or undeclared makes it the zero row. Nothing reports that. */
sotto_status sotto_encode_cells(sotto_encoder* encoder, const sotto_cell* cells, float* row, float* label);
/* The same for the numbers of an array. If their count is not the declared one, the row is the zero row. */
sotto_status sotto_encode_values(sotto_encoder* encoder, const double* values, size_t count, sotto_cell label,
                                 float* row, float* label_out);
/* Whether the row encoded last kept its values: 0 if it became the zero row. This is an answer about a value. Use it
 * only for figures that are not private anyway (sotto_evaluate), never for rows to train on. */
int sotto_encoder_usable(const sotto_encoder* encoder);
/* From here on counts what becomes of the rows, for sotto_encoder_check. What they become does not change. */
sotto_status sotto_encoder_count(sotto_encoder* encoder);
/*
 * For those who may read the rows, before anything is stored or charged; not for release. `table` gets a text of several
 * lines, whatever is returned. SOTTO_INVALID_DATA, with a hint, if hardly anything can be learned from these rows.
 */
sotto_status sotto_encoder_check(const sotto_encoder* encoder, sotto_text* table, sotto_error* error);
/* Identifies the multiset of raw rows encoded so far, whatever their order. For the data holder, not for release. */
void sotto_encoder_fingerprint(const sotto_encoder* encoder, char hex[65]);

/* Rows that come one by one, in any order, to be trained on from memory. */
typedef struct sotto_collected sotto_collected;

sotto_status sotto_collected_new(const char* schema, const char* const* columns, size_t column_count,
                                 sotto_collected** collected, sotto_error* error);
void sotto_collected_free(sotto_collected* collected);
/* Reserves room for this many rows, if their number is public. More rows may follow. */
sotto_status sotto_collected_reserve(sotto_collected* collected, uint64_t rows);
/* The numbers of an array column, or 0; the columns of cells, the label among them. */
uint32_t sotto_collected_values(const sotto_collected* collected);
size_t sotto_collected_columns(const sotto_collected* collected);
sotto_status sotto_collect_cells(sotto_collected* collected, const sotto_cell* cells);
sotto_status sotto_collect_values(sotto_collected* collected, const double* values, size_t count, sotto_cell label);
/* All collected rows, in a random order that does not depend on the order they came in. Valid until the next call of
 * this function, or until `collected` is freed. */
sotto_status sotto_collected_rows(sotto_collected* collected, int (*poll)(void*), void* context, sotto_rows* rows,
                                  sotto_error* error);

/* The positions [first, first + count) of the keyed permutation of [0, n), in which engines visit blocks: same key and
 * tweak, same order, on every machine. first + count is at most n. */
void sotto_keyed_order(uint64_t key, uint64_t tweak, uint64_t n, uint64_t first, uint64_t count, uint64_t* positions);

/* ------------------------------------------------------------------------------------------------ ledger */

typedef struct sotto_record {
  uint64_t sequence;
  const char* kind;
  uint64_t entry;
  int64_t time;
  uint64_t cost_loss, cost_delta, spent_loss, spent_delta;
  const char* request;
  const char* detail;
  const char* previous; /* hashes in 64 hexadecimal digits */
  const char* hash;
  const char* token;
  const char* analyst; /* the analyst who is charged; part of the hash. Null or empty: none is named */
} sotto_record;

/* `append` returns this if another record came first; then nothing was written. The library reads the new records and
 * makes its record again. */
#define SOTTO_APPEND_OUTDATED 2

/* The terms of a ledger, for a host that keeps them beside the records. */
typedef struct sotto_terms {
  const char* filter;
  const char* relation;
  double epsilon, delta;
  uint64_t limit_loss, limit_delta;
} sotto_terms;

/* What a host keeps beside the records, as it is now. The library compares it with the records. */
typedef struct sotto_head {
  uint64_t sequence;
  const char* hash;
  uint64_t spent_loss, spent_delta;
  sotto_terms terms;
  const char* fingerprint; /* of the rows */
} sotto_head;

/*
 * The store in which a host keeps the records of one ledger. Before it returns 0, `append` must commit and flush, in a
 * transaction that the user of the host cannot undo. It must refuse a record that does not follow the last one, with
 * SOTTO_APPEND_OUTDATED. `terms` is given with the first record and with every one that
 * changes them, `bytes` with a release only. `place` names this
 * copy of the store; another copy has another name. `prepare`, which may be null, is called before a record is written
 * and before the anchor is locked. There the host acquires what `append` needs, and may wait for it.
 */
typedef struct sotto_store {
  void* context;
  const char* place;
  int (*records)(void* context, uint64_t first, void (*take)(void* taker, const sotto_record* record), void* taker);
  int (*append)(void* context, const sotto_record* record, const sotto_terms* terms, const char* bytes, size_t size);
  int (*bytes)(void* context, uint64_t entry, void (*take)(void* taker, const char* bytes, size_t size), void* taker);
  int (*poll)(
      void* context); /* called while a plan is made or another process has the anchor; nonzero stops. Or null */
  int (*prepare)(void* context);
  int (*head)(void* context, void (*take)(void* taker, const sotto_head* head),
              void* taker); /* or null: none is kept */
  const char* analyst;      /* the analyst who is charged for this call and held to a share; or null */
  /* Called for every warning about a request that is trained (the key "warnings" of a plan). It is made from public
   * facts. Or null: none is told. */
  void (*warn)(void* context, const char* code, const char* text);
} sotto_store;

/* Creates the ledger of these rows and its anchor, a file that must not exist yet. options: filter, rdp_order, unit, blind,
 * budget_epsilon, budget_delta, analyst_share. */
sotto_status sotto_ledger_create(const sotto_store* store, const char* anchor, const sotto_rows* rows,
                                 const char* options, sotto_error* error);
/* For rows that had a ledger before. Where nothing was charged the options become its terms; otherwise what they say must be
 * what it has. */
sotto_status sotto_ledger_resume(const sotto_store* store, const sotto_rows* rows, const char* options,
                                 sotto_error* error);
/* Lowers the budget; a null delta stays. It is never raised. */
sotto_status sotto_ledger_lower(const sotto_store* store, double epsilon, const double* delta, sotto_error* error);
/* A budget in words and numbers, as JSON: of the detail of the record that has its terms (opened, lowered or corrected,
 * whichever came last), and what is spent. */
sotto_status sotto_budget_words(const char* terms, uint64_t spent_loss, uint64_t spent_delta, sotto_text* words,
                                sotto_error* error);
/* Binds the ledger to other rows, with an anchor of its own. What was spent stays spent. The former anchor stays. */
sotto_status sotto_ledger_rebind(const sotto_store* store, const char* anchor, const sotto_rows* rows,
                                 sotto_error* error);
/* Declares this copy of the store, with this anchor, the one that counts. */
sotto_status sotto_ledger_move(const sotto_store* store, const char* anchor, sotto_error* error);
/* Grants an analyst a share of the budget, 0 to 1. It replaces the share given by the option analyst_share. */
sotto_status sotto_ledger_grant(const sotto_store* store, const char* analyst, double share, sotto_error* error);
/* The public key of the ledger's signatures, in PEM. */
sotto_status sotto_ledger_public_key(const sotto_store* store, sotto_text* pem, sotto_error* error);
/* Replays all records and compares them with the anchor. The report is a JSON object of counts. */
sotto_status sotto_ledger_verify(const sotto_store* store, sotto_text* report, sotto_error* error);

/* ------------------------------------------------------------------------------------------------ training */

/* The card of a request; under "budget" its cost, under "warnings" a list of {code, text}. This is free and reads no
 * row. */
sotto_status sotto_plan(const sotto_rows* rows, const sotto_store* store, const char* schema, const char* request,
                        sotto_text* card, sotto_error* error);

/*
 * Plans, reserves the cost through store->append, and only then reads rows. The model is stored through store->append
 * before it is returned. A request that was answered before gets the same bytes for free, unless it says
 * "again": true. A run that fails or is stopped after the reservation stays spent. `schema` goes into the model.
 */
sotto_status sotto_train(const sotto_rows* rows, const sotto_store* store, const char* schema, const char* request,
                         sotto_text* model, uint64_t* entry, int* stored, sotto_error* error);

/*
 * The same for rows that are pushed one by one: begin before the first row is read, end with all of them. The `rows`
 * given to begin have the facts and the fingerprint of the rows to come, and no callback. A training that is begun and
 * not ended stays spent. If the rows are not those of the ledger, they are refused and the charge stays. Both calls use
 * the store, which must outlive them.
 */
typedef struct sotto_training sotto_training;

sotto_status sotto_training_begin(const sotto_rows* rows, const sotto_store* store, const char* schema,
                                  const char* request, sotto_training** training, sotto_error* error);
/* Whether the request was answered before. If so, no row is needed and the rows given to the end may be null. */
int sotto_training_answered(const sotto_training* training);
/* Call this once. */
sotto_status sotto_training_end(sotto_training* training, const sotto_rows* rows, uint64_t* entry, int* stored,
                                sotto_error* error);
void sotto_training_free(sotto_training* training);

/*
 * Finds parameters privately and trains with them. It is charged like sotto_train; all trials together are one entry.
 * The request also has `grid`, an object of lists, and may have `tune_by` and `mean_runs`. `open_rows` are public rows
 * of the same schema for tune_by "public", null otherwise.
 */
sotto_status sotto_tune(const sotto_rows* rows, const sotto_rows* open_rows, const sotto_store* store,
                        const char* schema, const char* request, sotto_text* model, uint64_t* entry, int* stored,
                        sotto_error* error);

/* What a method, loss or step schedule of this name is, or for "train" which options a training has; empty for others. */
sotto_status sotto_help(const char* topic, sotto_text* text, sotto_error* error);

/* ------------------------------------------------------------------------------------------------ shards */

/*
 * Rows on several servers. Each server makes its own passes (method shard_average). `key` is a secret that all of them
 * share, 64 hexadecimal digits; the answers of shards are sealed with it. `run` sends the task, which is public, to
 * every shard and hands over the answers that sotto_shard_answer gave there.
 */
typedef struct sotto_shards {
  void* context;
  sotto_facts facts;       /* of all rows */
  const char* fingerprint; /* of all rows */
  size_t count;
  const uint64_t* sizes;
  const char* const* fingerprints;
  const char* key;
  int (*run)(void* context, const char* task, void (*take)(void* taker, size_t shard, const char* bytes, size_t size),
             void* taker);
  void (*log)(void* context, const char* text); /* why a training failed, for the data holder only; or null */
} sotto_shards;

/* The only message of sotto_train_shards about failed shards. Rows that changed, were added, were removed or cannot be
 * reached all look the same. A host must not say more. */
#define SOTTO_SHARDS_FAILED \
  "data: not every shard answered for the rows the ledger was made for; what was reserved stays spent"

/* Asks every shard for the number and the fingerprint of its rows. `sizes` and `fingerprints` have room for
 * shards->count. `whole` is the fingerprint that all rows would have on one server: it does not depend on how they are
 * divided. */
sotto_status sotto_shards_describe(const sotto_shards* shards, const char* schema, uint64_t* sizes,
                                   char (*fingerprints)[65], char whole[65], sotto_error* error);
/* Like sotto_plan and sotto_train. */
sotto_status sotto_plan_shards(const sotto_shards* shards, const sotto_store* store, const char* schema,
                               const char* request, sotto_text* card, sotto_error* error);
sotto_status sotto_train_shards(const sotto_shards* shards, const sotto_store* store, const char* schema,
                                const char* request, sotto_text* model, uint64_t* entry, int* stored,
                                sotto_error* error);
/* In a shard: a collector for the rows of a task (columns in the order of its schema, the label last), and the sealed
 * answer to the task. The result without noise exists nowhere else. */
sotto_status sotto_collected_for(const char* task, sotto_collected** collected, sotto_error* error);
sotto_status sotto_shard_answer(const sotto_rows* rows, const char* task, const char* key, sotto_text* sealed,
                                sotto_error* error);

/* ------------------------------------------------------------------------------------------------ models */

typedef struct sotto_model sotto_model;

/* Whether a ledger with this public key (PEM, or 64 hexadecimal digits) signed exactly these bytes of a model file. If
 * so, `problem` has no text; otherwise it says why not. */
sotto_status sotto_model_verify(const char* text, size_t size, const char* key, sotto_text* problem,
                                sotto_error* error);
/* Whether these bytes have the SHA-256 digest that is given in 64 hexadecimal digits. */
int sotto_has_digest(const char* bytes, size_t size, const char* digest);
sotto_status sotto_model_open(const char* text, size_t size, sotto_model** model, sotto_error* error);
void sotto_model_free(sotto_model* model);
/* The weights of a model by name: a JSON list of class, feature and weight. Of two classes it is the positive one's. */
sotto_status sotto_model_coefficients(const char* model, size_t size, sotto_text* list, sotto_error* error);
/* The model's schema, for an encoder of the rows to predict or evaluate. It is valid as long as the model is. */
const char* sotto_model_schema(const sotto_model* model);
uint32_t sotto_model_classes(const sotto_model* model);
/* The text of a class; null beyond the last. */
const char* sotto_model_class(const sotto_model* model, uint32_t place);
/* The class and, unless null, the probabilities of all classes, by the model's link, of one row given as a JSON object
 * of columns or a JSON array of numbers. A row with a missing number has no class: `place` is then one beyond the
 * last class, and probabilities are unchanged. SOTTO_UNSUPPORTED if probabilities are asked for and the loss gives
 * none. */
sotto_status sotto_predict(sotto_model* model, const char* row, size_t size, uint32_t* place, double* probabilities,
                           sotto_error* error);
/* The same of cells, in the order of sotto_model_column and without the label; or of the numbers of an array. */
sotto_status sotto_predict_cells(sotto_model* model, const sotto_cell* cells, uint32_t* place, double* probabilities,
                                 sotto_error* error);
sotto_status sotto_predict_values(sotto_model* model, const double* values, size_t count, uint32_t* place,
                                  double* probabilities, sotto_error* error);
/* Rows to evaluate a model on: `count` encoded rows, all usable, and the number of unusable rows that were left out. */
typedef struct sotto_judged {
  const float* labels;
  const float* rows;
  uint64_t count;
  uint64_t unusable;
} sotto_judged;

/* Figures of a model on encoded rows, without noise: NOT PRIVATE unless the rows are public. A JSON object with the
 * names of `sotto evaluate`. SOTTO_INVALID_DATA if no row is usable. */
sotto_status sotto_evaluate(const sotto_model* model, const sotto_judged* judged, sotto_text* figures,
                            sotto_error* error);

/* The same row by row, for hosts that add up themselves. Cells or numbers are as for an encoder, the label last. */
typedef struct sotto_score {
  uint32_t actual, predicted; /* places of classes */
  double loss;
  int usable; /* 0: the row has a missing number or an undeclared label, and the rest means nothing */
} sotto_score;

uint32_t sotto_model_values(const sotto_model* model);
size_t sotto_model_columns(const sotto_model* model);
/* The name of a column, the label's being the last; null beyond it. */
const char* sotto_model_column(const sotto_model* model, size_t place);
sotto_status sotto_score_cells(sotto_model* model, const sotto_cell* cells, sotto_score* score);
sotto_status sotto_score_values(sotto_model* model, const double* values, size_t count, sotto_cell label,
                                sotto_score* score);

#ifdef __cplusplus
}
#endif
#endif
