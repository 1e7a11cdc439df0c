#include "extension.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_cast.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "parser/analyze.h"
#include "rewrite/rewriteHandler.h"
#include "storage/lmgr.h"
#include "tcop/pquery.h"
#include "tcop/tcopprot.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/*
 * Reading a table without running what others attached to it. No cast, operator or output function of a type's owner is
 * called: columns are selected as they are, and the values of a few types become texts by functions of the server's own.
 * What the server itself runs for a plain SELECT (functions of a view, of a policy of row security) runs with the rights
 * of a reader who can do nothing but read, and who is no superuser unless the table is a superuser's.
 */

#define ROWS_A_FETCH 1000

/* ---------------------------------------------------------------- who reads */

static Oid owner_of(Oid relation) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
  Oid owner;

  if (!HeapTupleIsValid(tuple))
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("the table is not there any more")));
  owner = ((Form_pg_class)GETSTRUCT(tuple))->relowner;
  ReleaseSysCache(tuple);
  return owner;
}

Oid reader_of(Oid role, Oid source) { return superuser_arg(role) ? owner_of(source) : role; }

/* Who registered it, or if that role is not known any more, the owner of its table. */
Oid registrar_of(const Registered *dataset) {
  Oid role = dataset->curator == NULL ? InvalidOid : get_role_oid(dataset->curator, true);

  return OidIsValid(role) ? role : owner_of(dataset->source);
}

Oid dataset_reader(const Registered *dataset) { return reader_of(registrar_of(dataset), dataset->source); }

/* Texts, names and rows must not depend on the session: the same rows have one fingerprint and one budget. */
void reader_begin(Owner *before, Oid reader) {
  const char *settings[][2] = {{"search_path", "pg_catalog, pg_temp"},
                               {"DateStyle", "ISO, MDY"},
                               {"IntervalStyle", "postgres"},
                               {"TimeZone", "UTC"},
                               {"bytea_output", "hex"},
                               {"extra_float_digits", "1"},
                               {"lc_monetary", "C"},
                               {"row_security", "on"},
                               {"standard_conforming_strings", "on"}};

  GetUserIdAndSecContext(&before->user, &before->security);
  before->read_only = XactReadOnly;
  before->guc_level = NewGUCNestLevel();
  for (int i = 0; i < (int)lengthof(settings); ++i)
    set_for_now(settings[i][0], settings[i][1]);
  SetUserIdAndSecContext(reader, before->security | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
  XactReadOnly = true; /* once a query has run, nobody can take it back */
}

/* ---------------------------------------------------------------- what is read */

/* A function that makes a text or numbers of a type's values its own way: nobody is to wonder which was read. */
static bool has_cast_function(Oid type) {
  const Oid targets[] = {TEXTOID, VARCHAROID, BPCHAROID, NAMEOID, FLOAT4ARRAYOID, FLOAT8ARRAYOID};

  for (int i = 0; i < (int)lengthof(targets); ++i) {
    HeapTuple tuple = SearchSysCache2(CASTSOURCETARGET, ObjectIdGetDatum(type), ObjectIdGetDatum(targets[i]));
    bool found = HeapTupleIsValid(tuple) && ((Form_pg_cast)GETSTRUCT(tuple))->castmethod == COERCION_METHOD_FUNCTION;

    if (HeapTupleIsValid(tuple)) ReleaseSysCache(tuple);
    if (found) return true;
  }
  return false;
}

static bool is_built_in(Oid type) {
  const Oid types[] = {TEXTOID, VARCHAROID, BPCHAROID, BOOLOID,    INT2OID, INT4OID,
                       INT8OID, FLOAT4OID,  FLOAT8OID, NUMERICOID, UUIDOID,
                       DATEOID, TIMESTAMPOID, TIMESTAMPTZOID};

  for (int i = 0; i < (int)lengthof(types); ++i)
    if (type == types[i]) return true;
  return false;
}

static bool is_enum(Oid type) {
  Oid output;
  bool varlena;

  if (!type_is_enum(type)) return false;
  getTypeOutputInfo(type, &output, &varlena);
  return output == F_ENUM_OUT;
}

bool is_plain_type(Oid type) { return is_built_in(type) || (is_enum(type) && !has_cast_function(type)); }

/* A setting of the session spells the values of other types otherwise, or their owner does. */
void require_plain_type(Oid type) {
  if (is_built_in(type)) return;
  if (!is_enum(type))
    ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                    errmsg("a column of type %s must be cast to a number or a text", format_type_be(type)),
                    errhint("Cast it in a view, as extract(epoch FROM it) does for an interval, and read that.")));
  if (has_cast_function(type))
    ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                    errmsg("type %s has a cast function to text or numbers, so its columns are not read",
                           format_type_be(type)),
                    errhint("Its owner can drop the cast. Do not run it before you know what it does.")));
}

static void require_array_type(Oid type) {
  if (type == FLOAT4ARRAYOID || type == FLOAT8ARRAYOID) return;
  ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                  errmsg("a column of type %s must be float4[] or float8[]", format_type_be(type))));
}

void require_plain_columns(Oid source, const char *label, const char *features, bool array) {
  int count;
  char **columns = declared_columns(features, &count);

  if (array && count != 1)
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("rows declared as an array have one column of values")));
  /* Until the transaction ends nobody changes the types, the name or the owner. */
  LockRelationOid(source, AccessShareLock);
  for (int i = 0; i <= count; ++i) {
    const char *name = i < count ? columns[i] : label;
    AttrNumber number = get_attnum(source, name);

    /* A name that is no column could be that of the whole row. */
    if (number == InvalidAttrNumber)
      ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN), errmsg("column \"%s\" does not exist", name)));
    if (array && i < count)
      require_array_type(get_atttype(source, number));
    else
      require_plain_type(get_atttype(source, number));
  }
}

char *relation_text(Oid relation) {
  char *name = get_rel_name(relation);

  if (name == NULL) ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("the table is not there any more")));
  return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), name);
}

/* The features, then the label. */
static char *query_text(const TableToRead *table, char **columns, int count) {
  StringInfoData query;

  initStringInfo(&query);
  appendStringInfoString(&query, "SELECT ");
  for (int i = 0; i < count; ++i) appendStringInfo(&query, "%s, ", quote_identifier(columns[i]));
  appendStringInfo(&query, "%s FROM %s", quote_identifier(table->label), relation_text(table->source));
  if (table->shuffled) appendStringInfoString(&query, " ORDER BY pg_catalog.gen_random_uuid()");
  return query.data;
}

/* ---------------------------------------------------------------- reading */

typedef struct Reading {
  TableRow row;
  int count; /* features */
  uint32 values;
  sotto_cell *cells;
  double *numbers;
  take_table_row take;
  void *taker;
} Reading;

static sotto_cell cell_at(HeapTuple tuple, TupleDesc shape, int column) {
  bool missing;
  Datum value = SPI_getbinval(tuple, shape, column, &missing);
  sotto_cell none = {NULL, 0};

  return missing ? none : plain_cell(TupleDescAttr(shape, column - 1)->atttypid, value);
}

/* A missing array, or one of several dimensions, has no numbers: not as many as declared. */
static void hand_over(Reading *reading, HeapTuple tuple, TupleDesc shape) {
  bool missing;

  reading->row.label = cell_at(tuple, shape, reading->count + 1);
  if (reading->values > 0) {
    Datum value = SPI_getbinval(tuple, shape, 1, &missing);

    reading->row.number_count =
        missing ? 0 : numbers_of_array(DatumGetArrayTypeP(value), reading->numbers, reading->values);
  } else {
    for (int i = 0; i < reading->count; ++i) reading->cells[i] = cell_at(tuple, shape, i + 1);
    reading->cells[reading->count] = reading->row.label;
  }
  reading->take(reading->taker, &reading->row);
}

static void read_all(Reading *reading, Portal cursor) {
  MemoryContext a_fetch = AllocSetContextCreate(CurrentMemoryContext, "sotto rows", ALLOCSET_DEFAULT_SIZES);

  for (;;) {
    SPI_cursor_fetch(cursor, true, ROWS_A_FETCH);
    if (SPI_processed == 0) break;
    for (uint64 i = 0; i < SPI_processed; ++i) {
      MemoryContext before = MemoryContextSwitchTo(a_fetch);

      hand_over(reading, SPI_tuptable->vals[i], SPI_tuptable->tupdesc);
      MemoryContextSwitchTo(before);
    }
    MemoryContextReset(a_fetch);
    SPI_freetuptable(SPI_tuptable);
    CHECK_FOR_INTERRUPTS();
  }
  MemoryContextDelete(a_fetch);
}

/*
 * A schema can be renamed while its tables are locked, so a name may mean another table than the one that was checked.
 * What the name meant is seen in the analysed query. From there on the server goes by numbers, and no function of anyone
 * has run yet. A plan of SPI's would be analysed again when a schema is renamed, so this one is made here.
 */
static Query *analyse(const char *text, Oid source) {
  RangeTblEntry *read;
  RawStmt *raw = linitial_node(RawStmt, pg_parse_query(text));
#if PG_VERSION_NUM >= 150000
  Query *query = parse_analyze_fixedparams(raw, text, NULL, 0, NULL);
#else
  Query *query = parse_analyze(raw, text, NULL, 0, NULL);
#endif
  Query *inner = query->commandType == CMD_UTILITY && IsA(query->utilityStmt, ExplainStmt)
                     ? castNode(Query, ((ExplainStmt *)query->utilityStmt)->query)
                     : query;

  read = linitial_node(RangeTblEntry, inner->rtable);
  if (read->rtekind != RTE_RELATION || read->relid != source)
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("the table was replaced meanwhile"),
                    errhint("Its schema was renamed. Try again.")));
  return query;
}

Portal open_cursor(const char *text, Oid source) {
  Query *query = analyse(text, source);
  List *plans =
      pg_plan_queries(query->commandType == CMD_UTILITY ? list_make1(query) : QueryRewrite(query), text, 0, NULL);
  Portal cursor = CreateNewPortal();
  MemoryContext before;

  if (list_length(plans) != 1) elog(ERROR, "the table cannot be read");
  cursor->visible = false;
  before = MemoryContextSwitchTo(cursor->portalContext);
  PortalDefineQuery(cursor, NULL, pstrdup(text), CreateCommandTag(linitial(plans)), copyObject(plans), NULL);
  MemoryContextSwitchTo(before);
  cursor->cursorOptions = CURSOR_OPT_NO_SCROLL;
  PortalStart(cursor, NULL, 0, GetActiveSnapshot());
  return cursor;
}

/* The last look before values are taken for what their types say. */
static void require_read_types(TupleDesc shape, int count, bool array) {
  if (shape == NULL || shape->natts != count + 1) elog(ERROR, "the table cannot be read");
  for (int i = 0; i <= count; ++i) {
    Oid type = TupleDescAttr(shape, i)->atttypid;

    if (array && i < count)
      require_array_type(type);
    else
      require_plain_type(type);
  }
}

void read_table(const TableToRead *table, uint32 values, take_table_row take, void *taker) {
  Reading reading;
  char **columns = declared_columns(table->features, &reading.count);
  Owner before;
  Portal cursor;
  char *query;

  /* It locks the table. Whose it is and what it is called is asked after that. */
  require_plain_columns(table->source, table->label, table->features, values > 0);
  query = query_text(table, columns, reading.count);
  reading.values = values;
  reading.take = take;
  reading.taker = taker;
  reading.cells = palloc(sizeof(sotto_cell) * (reading.count + 1));
  reading.numbers = values > 0 ? palloc(sizeof(double) * ((Size)values + 1)) : NULL;
  memset(&reading.row, 0, sizeof reading.row);
  reading.row.cells = reading.cells;
  reading.row.numbers = reading.numbers;
  /* Planning runs functions too: constant parts of indexes and constraints. */
  reader_begin(&before, reader_of(table->role, table->source));
  SPI_connect();
  cursor = open_cursor(query, table->source);
  require_read_types(cursor->tupDesc, reading.count, values > 0);
  read_all(&reading, cursor);
  SPI_cursor_close(cursor);
  SPI_finish();
  owner_end(&before);
}
