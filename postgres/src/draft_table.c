#include "extension.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/*
 * What a table says about its columns: by their types, to everyone; by its rows, to who may read them.
 */

PG_FUNCTION_INFO_V1(pg_sotto_draft);

/* The labels of an enum in their order, as a JSON list. */
static void append_labels(StringInfo json, Oid type) {
  CatCList *labels = SearchSysCacheList1(ENUMTYPOIDNAME, ObjectIdGetDatum(type));
  const FormData_pg_enum **sorted = palloc(sizeof(*sorted) * Max(labels->n_members, 1));

  for (int i = 0; i < labels->n_members; ++i) {
    const FormData_pg_enum *label = (const FormData_pg_enum *)GETSTRUCT(&labels->members[i]->tuple);
    int place = i;

    for (; place > 0 && sorted[place - 1]->enumsortorder > label->enumsortorder; --place) sorted[place] = sorted[place - 1];
    sorted[place] = label;
  }
  appendStringInfoChar(json, '[');
  for (int i = 0; i < labels->n_members; ++i) {
    if (i > 0) appendStringInfoString(json, ", ");
    escape_json(json, NameStr(sorted[i]->enumlabel));
  }
  appendStringInfoChar(json, ']');
  ReleaseCatCacheList(labels);
}

static void append_type(StringInfo json, Oid type) {
  switch (type) {
    case BOOLOID:
      appendStringInfoString(json, "[\"false\", \"true\"]");
      return;
    case TEXTOID:
    case VARCHAROID:
    case BPCHAROID:
    case UUIDOID:
      appendStringInfoString(json, "\"text\"");
      return;
    case DATEOID:
      appendStringInfoString(json, "\"days\"");
      return;
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
      appendStringInfoString(json, "\"seconds\"");
      return;
    default:
      if (type_is_enum(type))
        append_labels(json, type);
      else
        appendStringInfoString(json, "\"number\"");
  }
}

char *column_types(Oid source) {
  Relation relation = relation_open(source, AccessShareLock);
  TupleDesc shape = RelationGetDescr(relation);
  StringInfoData json;
  bool any = false;

  initStringInfo(&json);
  appendStringInfoChar(&json, '{');
  for (int i = 0; i < shape->natts; ++i) {
    Form_pg_attribute column = TupleDescAttr(shape, i);

    if (column->attisdropped || !is_plain_type(column->atttypid)) continue;
    if (any) appendStringInfoString(&json, ", ");
    any = true;
    escape_json(&json, NameStr(column->attname));
    appendStringInfoString(&json, ": ");
    append_type(&json, column->atttypid);
  }
  appendStringInfoChar(&json, '}');
  relation_close(relation, NoLock);
  return json.data;
}

/* The columns that are read, but for the label: as register takes them. Of the others the reasons. */
static char *readable_columns(Oid source, const char *label, StringInfo others) {
  Relation relation = relation_open(source, AccessShareLock);
  TupleDesc shape = RelationGetDescr(relation);
  StringInfoData json;
  bool any = false;

  initStringInfo(&json);
  appendStringInfoChar(&json, '{');
  for (int i = 0; i < shape->natts; ++i) {
    Form_pg_attribute column = TupleDescAttr(shape, i);

    if (column->attisdropped || strcmp(NameStr(column->attname), label) == 0) continue;
    if (!is_plain_type(column->atttypid)) {
      appendStringInfo(others, "%s%s (type %s)", others->len > 0 ? ", " : "", NameStr(column->attname),
                       format_type_be(column->atttypid));
      continue;
    }
    if (any) appendStringInfoString(&json, ", ");
    any = true;
    escape_json(&json, NameStr(column->attname));
    appendStringInfoString(&json, ": null");
  }
  appendStringInfoChar(&json, '}');
  relation_close(relation, NoLock);
  return json.data;
}

static void free_draft(void *draft) { sotto_draft_free(draft); }

static void take_row_of_draft(void *draft, const TableRow *row) {
  if (sotto_draft_row(draft, row->cells) != SOTTO_OK)
    ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
}

static sotto_draft *draft_open(const TableToRead *table) {
  int count;
  char **names = declared_columns(table->features, &count);
  const char **all = palloc(sizeof(char *) * (count + 1));
  sotto_draft *draft = NULL;
  sotto_error error;
  MemoryContextCallback *callback = palloc0(sizeof(MemoryContextCallback));

  for (int i = 0; i < count; ++i) all[i] = names[i];
  all[count] = table->label;
  host_check(NULL, sotto_draft_new(table->label, column_types(table->source), all, count + 1, &draft, &error), &error);
  callback->func = free_draft;
  callback->arg = draft;
  MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
  return draft;
}

Datum pg_sotto_draft(PG_FUNCTION_ARGS) {
  Oid source = PG_GETARG_OID(0);
  char *label = text_to_cstring(PG_GETARG_TEXT_PP(1));
  StringInfoData others;
  TableToRead table = {source, GetUserId(), label, NULL, false};
  sotto_draft *draft;
  sotto_text declarations = {NULL, 0};
  sotto_error error;

  initStringInfo(&others);
  table.features = readable_columns(source, label, &others);
  draft = draft_open(&table);
  read_table(&table, 0, take_row_of_draft, draft);
  host_check(NULL, sotto_draft_finish(draft, &declarations, &error), &error);
  if (others.len > 0)
    ereport(NOTICE, (errmsg("left out, as they are not read: %s", others.data),
                     errhint("Cast them to a number or a text in a view, and register that.")));
  PG_RETURN_TEXT_P(cstring_to_text(text_take(&declarations)));
}
