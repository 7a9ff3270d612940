/* For the tables of models whose samples are for time series alone. */
#include "scenario/subjects/subject.h"

bool wi_samples_are_series(const void *made)
{
    (void)made;
    return true;
}
