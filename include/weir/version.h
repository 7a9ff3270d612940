/** Which weir a program has met: what it was compiled against, and what it is linked with, need not be the
 * same. */
#ifndef WEIR_VERSION_H
#define WEIR_VERSION_H

#include "weir/fn.h"

/** The library's version, such as "1.0.0"; never null, and not to be freed. */
WEIR_API const char *weir_version(void);

#endif
