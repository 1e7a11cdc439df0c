#include "extension.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

/*
 * Values to predict for: rows, arrays of numbers, JSON. Of a row only the columns that the model names are read, each of
 * a plain type and by a function of the server's own (plain_cell). No cast is looked for, whoever made one and whenever.
 */

/* Where the columns of a model are in the rows of one shape. */
typedef struct RowPlaces {
  uint64 shape; /* 0: none was seen yet */
  int *attributes;
  Oid *types;
} RowPlaces;

struct RowReader {
  sotto_model *model;
  Oid type;    /* of the values, no domain */
  Oid element; /* of arrays */
  int columns;
  uint32 values;
  RowPlaces places;
  sotto_cell *cells;
  double *numbers;
};

static bool is_number(Oid type) {
  const Oid types[] = {INT2OID, INT4OID, INT8OID, FLOAT4OID, FLOAT8OID, NUMERICOID};

  for (int i = 0; i < (int)lengthof(types); ++i)
    if (type == types[i]) return true;
  return false;
}

static void refuse_type(Oid type) {
  ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                  errmsg("x: a value of type %s is not read", format_type_be(type)),
                  errhint("Give a row, an array of numbers, or jsonb.")));
}

RowReader *row_reader(Oid type, sotto_model *model) {
  RowReader *reader = palloc0(sizeof(RowReader));

  reader->model = model;
  reader->type = getBaseType(type);
  reader->element = get_element_type(reader->type);
  reader->columns = (int)sotto_model_columns(model) - 1; /* without the label */
  reader->values = sotto_model_values(model);
  reader->places.attributes = palloc(sizeof(int) * (reader->columns + 1));
  reader->places.types = palloc(sizeof(Oid) * (reader->columns + 1));
  reader->cells = palloc(sizeof(sotto_cell) * (reader->columns + 1));
  reader->numbers = palloc(sizeof(double) * ((Size)reader->values + 1));
  if (reader->type != JSONOID && reader->type != JSONBOID && !is_number(reader->element) &&
      !type_is_rowtype(reader->type))
    refuse_type(type);
  return reader;
}

/* ---------------------------------------------------------------- rows */

/* Of several columns of a name the last counts, as in jsonb. */
static int place_in(TupleDesc shape, const char *name) {
  for (int i = shape->natts - 1; i >= 0; --i)
    if (!TupleDescAttr(shape, i)->attisdropped && strcmp(NameStr(TupleDescAttr(shape, i)->attname), name) == 0) return i;
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("x: has no column %s", name)));
}

static void find_columns(RowReader *reader, TupleDesc shape) {
  for (int i = 0; i < reader->columns; ++i) {
    int place = place_in(shape, sotto_model_column(reader->model, (size_t)i));
    Oid type = getBaseType(TupleDescAttr(shape, place)->atttypid);

    require_plain_type(type);
    reader->places.attributes[i] = place;
    reader->places.types[i] = type;
  }
}

/* The shape of a table's rows may change in a query, and records of one query have several. */
static void take_cells(RowReader *reader, HeapTupleHeader row) {
  Oid type = HeapTupleHeaderGetTypeId(row);
  int32 typmod = HeapTupleHeaderGetTypMod(row);
  TupleDesc shape = lookup_rowtype_tupdesc(type, typmod);
  uint64 identity = assign_record_type_identifier(type, typmod);
  Datum *values = palloc(sizeof(Datum) * shape->natts);
  bool *missing = palloc(sizeof(bool) * shape->natts);
  HeapTupleData tuple;

  if (reader->places.shape != identity) {
    reader->places.shape = 0;
    find_columns(reader, shape);
    reader->places.shape = identity;
  }
  memset(&tuple, 0, sizeof tuple);
  tuple.t_len = HeapTupleHeaderGetDatumLength(row);
  ItemPointerSetInvalid(&tuple.t_self);
  tuple.t_data = row;
  heap_deform_tuple(&tuple, shape, values, missing);
  for (int i = 0; i < reader->columns; ++i) {
    int place = reader->places.attributes[i];
    sotto_cell none = {NULL, 0};

    reader->cells[i] = missing[place] ? none : plain_cell(reader->places.types[i], values[place]);
  }
  ReleaseTupleDesc(shape);
}

/* ---------------------------------------------------------------- arrays */

static double number_of(Oid type, Datum value) {
  switch (type) {
    case INT2OID:
      return DatumGetInt16(value);
    case INT4OID:
      return DatumGetInt32(value);
    case INT8OID:
      return (double)DatumGetInt64(value);
    default: /* beyond a double: infinite */
      return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
  }
}

/* As numbers_of_array, which knows floats. */
static size_t take_numbers(RowReader *reader, ArrayType *array) {
  int16 length;
  bool by_value;
  char align;
  Datum *elements;
  bool *nulls;
  int count;

  if (reader->element == FLOAT4OID || reader->element == FLOAT8OID)
    return numbers_of_array(array, reader->numbers, reader->values);
  if (ARR_NDIM(array) != 1 || (Size)ARR_DIMS(array)[0] > (Size)reader->values + 1) return 0;
  get_typlenbyvalalign(reader->element, &length, &by_value, &align);
  deconstruct_array(array, reader->element, length, by_value, align, &elements, &nulls, &count);
  for (int i = 0; i < count; ++i)
    reader->numbers[i] = nulls[i] ? get_float8_nan() : number_of(reader->element, elements[i]);
  return (size_t)count;
}

/* ---------------------------------------------------------------- what the model says */

static sotto_status predict_json(RowReader *reader, Datum row, uint32_t *place, double *probabilities,
                                 sotto_error *error) {
  if (reader->type == JSONBOID) {
    Jsonb *json = DatumGetJsonbP(row);
    char *text = JsonbToCString(NULL, &json->root, VARSIZE(json));

    return sotto_predict(reader->model, text, strlen(text), place, probabilities, error);
  } else {
    text *json = DatumGetTextPP(row);

    return sotto_predict(reader->model, VARDATA_ANY(json), VARSIZE_ANY_EXHDR(json), place, probabilities, error);
  }
}

uint32 predict_row(RowReader *reader, Datum row, double *probabilities) {
  uint32_t place = 0;
  sotto_error error;
  sotto_status status;

  if (reader->type == JSONOID || reader->type == JSONBOID) {
    status = predict_json(reader, row, &place, probabilities, &error);
  } else if (OidIsValid(reader->element)) {
    size_t count = take_numbers(reader, DatumGetArrayTypeP(row));

    status = sotto_predict_values(reader->model, reader->numbers, count, &place, probabilities, &error);
  } else {
    if (reader->values == 0) take_cells(reader, DatumGetHeapTupleHeader(row));
    status = sotto_predict_cells(reader->model, reader->cells, &place, probabilities, &error);
  }
  host_check(NULL, status, &error);
  return place;
}
