/* What subjects share; see subject.h. */
#include "scenario/subject/subject.h"

#include <math.h>

const void *wi_model_params(const weir_scenario *scenario)
{
    return scenario->model.params;
}

double wi_number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

bool wi_samples_are_series(const void *made)
{
    (void)made;
    return true;
}
