#include "extension.h"

#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"

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

static char *text_of(Oid type, Datum value) {
  char buffer[DOUBLE_SHORTEST_DECIMAL_LEN];
  Oid output;
  bool varlena;

  if (type == BOOLOID) return pstrdup(DatumGetBool(value) ? "true" : "false");
  if (type == FLOAT8OID || type == FLOAT4OID) { /* whatever extra_float_digits is */
    if (type == FLOAT8OID)
      double_to_shortest_decimal_buf(DatumGetFloat8(value), buffer);
    else
      float_to_shortest_decimal_buf(DatumGetFloat4(value), buffer);
    return pstrdup(buffer);
  }
  getTypeOutputInfo(type, &output, &varlena);
  return OidOutputFunctionCall(output, value);
}

void require_one_spelling(Oid type) {
  type = getBaseType(type);
  switch (type) {
    case TEXTOID:
    case VARCHAROID:
    case BPCHAROID:
    case BOOLOID:
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case FLOAT4OID:
    case FLOAT8OID:
    case NUMERICOID:
    case UUIDOID:
      return;
    default:
      if (!type_is_enum(type))
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                        errmsg("a column of type %s must be cast to a number or a text", format_type_be(type))));
  }
}

/* The text of a value as a cast to text gives it, for types where no setting has a say; as bytes, which have no
 * collation: what a foreign server may compute depends on it. */
Datum pg_sotto_cell(PG_FUNCTION_ARGS) {
  Oid type = getBaseType(get_fn_expr_argtype(fcinfo->flinfo, 0));
  char *words;

  require_one_spelling(type);
  if (type == TEXTOID || type == VARCHAROID || type == BPCHAROID) {
    text *held = PG_GETARG_TEXT_PP(0);
    Size size = VARSIZE_ANY_EXHDR(held);

    while (type == BPCHAROID && size > 0 && VARDATA_ANY(held)[size - 1] == ' ') --size;
    PG_RETURN_BYTEA_P(bytea_of(VARDATA_ANY(held), size));
  }
  words = text_of(type, PG_GETARG_DATUM(0));
  PG_RETURN_BYTEA_P(bytea_of(words, strlen(words)));
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

/* At most one more than wanted: enough to see that there are too many. Of several dimensions: none. */
size_t numbers_of_argument(FunctionCallInfo fcinfo, int argument, double *numbers, uint32 wanted) {
  ArrayType *array = PG_ARGISNULL(argument) ? NULL : PG_GETARG_ARRAYTYPE_P(argument);
  int count = array != NULL && ARR_NDIM(array) == 1 ? ARR_DIMS(array)[0] : 0;
  const char *data = count > 0 ? ARR_DATA_PTR(array) : NULL;
  const bits8 *present = count > 0 ? ARR_NULLBITMAP(array) : NULL;
  int at = 0;

  if ((Size)count > (Size)wanted + 1) return 0;
  if (present == NULL && count > 0) {
    if (ARR_ELEMTYPE(array) == FLOAT4OID)
      for (int i = 0; i < count; ++i) numbers[i] = ((const float4 *)data)[i];
    else
      memcpy(numbers, data, sizeof(double) * count);
    return (size_t)count;
  }
  for (int i = 0; i < count; ++i) {
    bool there = present == NULL || (present[i / 8] & (1 << (i % 8))) != 0;

    numbers[i] = there ? element_at(data, ARR_ELEMTYPE(array), at) : get_float8_nan();
    at += there;
  }
  return (size_t)count;
}
