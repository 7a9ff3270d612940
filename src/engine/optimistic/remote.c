/* Between ranks: see optimistic.h. */
#include "engine/optimistic/optimistic.h"

int wi_remote_progress(wi_optimistic *engine)
{
    (void)engine;
    return 0;
}

void wi_remote_settle(wi_optimistic *engine)
{
    (void)engine;
}

void wi_remote_tell(wi_optimistic *engine)
{
    (void)engine;
}

int wi_remote_told(wi_optimistic *engine)
{
    (void)engine;
    return 1;
}

void wi_remote_free(wi_optimistic *engine)
{
    (void)engine;
}
