/* Which model a scenario runs. */
#include "scenario/subject.h"

const wi_subject *wi_subject_of(const weir_scenario *scenario)
{
    (void)scenario;
    return &wi_subject_network;
}
