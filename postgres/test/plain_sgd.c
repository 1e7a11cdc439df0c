#include "extension.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include <math.h>

/*
 * For the benchmark alone: gradient descent as an ordinary aggregate, without privacy, in the shape Bismarck and MADlib
 * published. One query a pass over a table of arrays, a step a row of logistic regression, the weights as the state.
 */

PG_FUNCTION_INFO_V1(sotto_plain_step);
PG_FUNCTION_INFO_V1(sotto_plain_final);

typedef struct PlainState {
  int features;
  double weights[FLEXIBLE_ARRAY_MEMBER];
} PlainState;

#define STEP_SIZE 0.01

Datum sotto_plain_step(PG_FUNCTION_ARGS) {
  ArrayType *array = PG_GETARG_ARRAYTYPE_P(2);
  const float4 *x = (const float4 *)ARR_DATA_PTR(array);
  double label = PG_GETARG_BOOL(1) ? 1 : -1;
  double margin = 0;
  double size;
  PlainState *state;
  MemoryContext context;

  if (!AggCheckCallContext(fcinfo, &context)) elog(ERROR, "part of an aggregate");
  if (PG_ARGISNULL(0)) {
    state = MemoryContextAllocZero(context, offsetof(PlainState, weights) + sizeof(double) * ARR_DIMS(array)[0]);
    state->features = ARR_DIMS(array)[0];
  } else {
    state = (PlainState *)PG_GETARG_POINTER(0);
  }
  if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != state->features || ARR_HASNULL(array)) elog(ERROR, "another shape");
  for (int i = 0; i < state->features; ++i) margin += state->weights[i] * x[i];
  size = STEP_SIZE * label / (1 + exp(label * margin));
  for (int i = 0; i < state->features; ++i) state->weights[i] += size * x[i];
  PG_RETURN_POINTER(state);
}

Datum sotto_plain_final(PG_FUNCTION_ARGS) {
  if (PG_ARGISNULL(0)) PG_RETURN_NULL();
  PG_RETURN_FLOAT8(((PlainState *)PG_GETARG_POINTER(0))->weights[0]);
}
