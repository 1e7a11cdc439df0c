#include "extension.h"

#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/timestamp.h"

/*
 * Rows as arguments of aggregates: cells as bytes, or a label and an array of numbers. They mean what the same values
 * mean when a table is registered.
 */

PG_FUNCTION_INFO_V1(pg_sotto_cell);

bytea *bytea_of(const char *data, Size size) {
  bytea *value = palloc(VARHDRSZ + size);

  SET_VARSIZE(value, VARHDRSZ + size);
  memcpy(VARDATA(value), data, size);
  return value;
}

static sotto_cell cell_of_words(char *words) {
  sotto_cell cell = {words, strlen(words)};

  return cell;
}

static sotto_cell cell_of_text(Oid type, text *held) {
  sotto_cell cell = {VARDATA_ANY(held), VARSIZE_ANY_EXHDR(held)};

  while (type == BPCHAROID && cell.size > 0 && cell.data[cell.size - 1] == ' ') --cell.size;
  return cell;
}

static sotto_cell cell_of_float(Oid type, Datum value) { /* whatever extra_float_digits is */
  char *buffer = palloc(DOUBLE_SHORTEST_DECIMAL_LEN);

  if (type == FLOAT8OID)
    double_to_shortest_decimal_buf(DatumGetFloat8(value), buffer);
  else
    float_to_shortest_decimal_buf(DatumGetFloat4(value), buffer);
  return cell_of_words(buffer);
}

/* Days since 1970: no setting of the session changes a number. */
static sotto_cell cell_of_date(DateADT date) {
  if (DATE_NOT_FINITE(date)) return cell_of_words("infinity");
  return cell_of_words(psprintf("%d", date + (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE)));
}

/* Seconds since 1970; of a timestamp with a time zone in UTC, as it is stored. */
static sotto_cell cell_of_time(Timestamp time) {
  const int64 second = USECS_PER_SEC;
  int64 seconds = time / second;
  int64 rest = time % second;
  const char *sign = "";

  if (TIMESTAMP_NOT_FINITE(time)) return cell_of_words("infinity");
  if (rest < 0) {
    rest += second;
    seconds -= 1;
  }
  seconds += (int64)(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY;
  if (seconds < 0 && rest > 0) { /* -1 and 0.25 are -0.75 */
    sign = seconds == -1 ? "-" : "";
    seconds += 1;
    rest = second - rest;
  }
  return cell_of_words(rest == 0 ? psprintf(INT64_FORMAT, seconds)
                                 : psprintf("%s" INT64_FORMAT "." "%06d", sign, seconds, (int)rest));
}

/* As a cast of the server's own to text gives it; points in time as numbers. The functions are named here: what a type says it is written by, or
 * cast by, is not asked. */
sotto_cell plain_cell(Oid type, Datum value) {
  switch (type) {
    case TEXTOID:
    case VARCHAROID:
    case BPCHAROID:
      return cell_of_text(type, DatumGetTextPP(value));
    case BOOLOID:
      return cell_of_words(DatumGetBool(value) ? "true" : "false");
    case FLOAT4OID:
    case FLOAT8OID:
      return cell_of_float(type, value);
    case INT2OID:
      return cell_of_words(DatumGetCString(DirectFunctionCall1(int2out, value)));
    case INT4OID:
      return cell_of_words(DatumGetCString(DirectFunctionCall1(int4out, value)));
    case INT8OID:
      return cell_of_words(DatumGetCString(DirectFunctionCall1(int8out, value)));
    case NUMERICOID:
      return cell_of_words(DatumGetCString(DirectFunctionCall1(numeric_out, value)));
    case DATEOID:
      return cell_of_date(DatumGetDateADT(value));
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
      return cell_of_time(DatumGetTimestamp(value));
    case UUIDOID:
      return cell_of_words(DatumGetCString(DirectFunctionCall1(uuid_out, value)));
    default:
      return cell_of_words(DatumGetCString(DirectFunctionCall1(enum_out, value)));
  }
}

/* The text of a value of a plain type; as bytes, which have no collation: what a foreign server may compute depends on
 * it. The type is looked at once a query. */
Datum pg_sotto_cell(PG_FUNCTION_ARGS) {
  Oid *checked = fcinfo->flinfo->fn_extra;
  sotto_cell cell;

  if (checked == NULL) {
    Oid type = get_fn_expr_argtype(fcinfo->flinfo, 0);

    require_plain_type(type);
    checked = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(Oid));
    *checked = type;
    fcinfo->flinfo->fn_extra = checked;
  }
  cell = plain_cell(*checked, PG_GETARG_DATUM(0));
  PG_RETURN_BYTEA_P(bytea_of(cell.data, cell.size));
}

sotto_cell cell_of_argument(FunctionCallInfo fcinfo, int argument) {
  sotto_cell cell = {NULL, 0};

  if (!PG_ARGISNULL(argument)) {
    bytea *held = PG_GETARG_BYTEA_PP(argument);

    cell.data = VARDATA_ANY(held);
    cell.size = VARSIZE_ANY_EXHDR(held);
  }
  return cell;
}

/* Another number of cells than declared is a row of missing values. */
void cells_of_argument(FunctionCallInfo fcinfo, int argument, sotto_cell *cells, int wanted) {
  Datum *elements = NULL;
  bool *nulls = NULL;
  int count = 0;

  if (!PG_ARGISNULL(argument))
    deconstruct_array(PG_GETARG_ARRAYTYPE_P(argument), BYTEAOID, -1, false, TYPALIGN_INT, &elements, &nulls, &count);
  for (int i = 0; i < wanted; ++i) {
    cells[i].data = NULL;
    cells[i].size = 0;
    if (count != wanted || nulls[i]) continue;
    cells[i].data = VARDATA_ANY(DatumGetPointer(elements[i]));
    cells[i].size = VARSIZE_ANY_EXHDR(DatumGetPointer(elements[i]));
  }
}

static double element_at(const char *data, Oid type, int i) {
  return type == FLOAT4OID ? (double)((const float4 *)data)[i] : ((const float8 *)data)[i];
}

size_t numbers_of_array(ArrayType *array, double *numbers, uint32 wanted) {
  int count = ARR_NDIM(array) == 1 ? ARR_DIMS(array)[0] : 0;
  const char *data = ARR_DATA_PTR(array);
  const bits8 *present = ARR_NULLBITMAP(array);
  int at = 0;

  if (count == 0 || (Size)count > (Size)wanted + 1) return 0;
  if (present == NULL) {
    if (ARR_ELEMTYPE(array) == FLOAT4OID)
      for (int i = 0; i < count; ++i) numbers[i] = ((const float4 *)data)[i];
    else
      memcpy(numbers, data, sizeof(double) * count);
    return (size_t)count;
  }
  for (int i = 0; i < count; ++i) {
    bool there = (present[i / 8] & (1 << (i % 8))) != 0;

    numbers[i] = there ? element_at(data, ARR_ELEMTYPE(array), at) : get_float8_nan();
    at += there;
  }
  return (size_t)count;
}

size_t numbers_of_argument(FunctionCallInfo fcinfo, int argument, double *numbers, uint32 wanted) {
  return PG_ARGISNULL(argument) ? 0 : numbers_of_array(PG_GETARG_ARRAYTYPE_P(argument), numbers, wanted);
}
