/* A discipline and a control that only tests have, as a build of one's own adds them (-DWEIR_EXTRA_NET=...). */
#include "scenario/toys/congestion_toy.h"
#include "scenario/toys/queue_toy.h"

#define NET_QUEUES_EXTRA(X) X(TOY, toy, "every n-th packet is dropped")
#define NET_CONGESTIONS_EXTRA(X) X(STILL, still, "a window that stays, and is paced")
