#include "extension.h"

#include "catalog/pg_type.h"
#include "seeded.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* For tests alone: engines_agree(dataset, request), pass_time(dataset, request). */

PG_FUNCTION_INFO_V1(sotto_engines_agree);
PG_FUNCTION_INFO_V1(sotto_pass_time);

static float *all_blocks(const sotto_rows *rows) {
  Size floats = (Size)rows->block_rows * (rows->facts.features + 1);
  uint64 blocks = (rows->facts.rows + rows->block_rows - 1) / rows->block_rows;
  float *all = MemoryContextAllocHuge(CurrentMemoryContext, blocks * floats * sizeof(float));

  for (uint64 i = 0; i < blocks; ++i) {
    const float *block;

    if (rows->read(rows->context, i, &block) != 0) elog(ERROR, "a block cannot be read");
    memcpy(all + i * floats, block, floats * sizeof(float));
  }
  return all;
}

Datum sotto_engines_agree(PG_FUNCTION_ARGS) {
  Registered *dataset = registered_load(text_to_cstring(PG_GETARG_TEXT_PP(0)));
  char *request = text_to_cstring(PG_GETARG_TEXT_PP(1));
  Host host;
  PackedRows packed;
  sotto_rows rows;
  sotto_error error;
  int same = 0;

  host_init(&host);
  packed_open(&packed, &host, dataset);
  rows = packed_rows(&packed, dataset);
  host_check(&host, sotto_test_engines_agree(&rows, all_blocks(&rows), request, &same, &error), &error);
  packed_close(&packed);
  PG_RETURN_BOOL(same != 0);
}

/* Processor time in seconds: {passes over the packed copy, passes in memory, reading and checking the copy}. */
Datum sotto_pass_time(PG_FUNCTION_ARGS) {
  Registered *dataset = registered_load(text_to_cstring(PG_GETARG_TEXT_PP(0)));
  char *request = text_to_cstring(PG_GETARG_TEXT_PP(1));
  Host host;
  PackedRows packed;
  sotto_rows rows;
  sotto_error error;
  float *values;
  double times[3] = {0, 0, 0};
  Datum elements[3];

  host_init(&host);
  packed_open(&packed, &host, dataset);
  rows = packed_rows(&packed, dataset);
  values = all_blocks(&rows);
  packed_close(&packed);
  packed_open(&packed, &host, dataset); /* nothing of it is read yet */
  host_check(&host, sotto_test_pass_time(&rows, values, request, times, &error), &error);
  packed_close(&packed);
  for (int i = 0; i < 3; ++i) elements[i] = Float8GetDatum(times[i]);
  PG_RETURN_ARRAYTYPE_P(construct_array(elements, 3, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
