/* Which model a scenario runs. */
#include "scenario/subjects/subject.h"

const wi_subject *wi_subject_of(const weir_scenario *scenario)
{
    static const wi_subject *const subjects[] = {[WEIR_SC_MODEL_NETWORK] = &wi_subject_network,
                                                 [WEIR_SC_MODEL_PHOLD] = &wi_subject_phold,
                                                 [WEIR_SC_MODEL_KADEMLIA] = &wi_subject_kademlia};
    return subjects[scenario->model.type];
}
