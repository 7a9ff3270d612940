#include "base/units/units_table.h"

#define K UINT64_C(1000)
#define KI UINT64_C(1024)

const wi_unit wi_units[] = {
    {"ps", WI_TIME, 1},
    {"ns", WI_TIME, K},
    {"us", WI_TIME, K *K},
    {"\xc2\xb5s", WI_TIME, K *K}, /* micro sign */
    {"\xce\xbcs", WI_TIME, K *K}, /* Greek mu */
    {"ms", WI_TIME, K *K *K},
    {"s", WI_TIME, K *K *K *K},
    {"min", WI_TIME, 60 * K *K *K *K},
    {"h", WI_TIME, 3600 * K *K *K *K},
    {"d", WI_TIME, 86400 * K *K *K *K},

    {"bps", WI_RATE, 1},
    {"kbps", WI_RATE, K},
    {"Mbps", WI_RATE, K *K},
    {"Gbps", WI_RATE, K *K *K},
    {"Tbps", WI_RATE, K *K *K *K},
    {"Kibps", WI_RATE, KI},
    {"Mibps", WI_RATE, KI *KI},
    {"Gibps", WI_RATE, KI *KI *KI},
    {"Tibps", WI_RATE, KI *KI *KI *KI},
    {"Bps", WI_RATE, 8},
    {"kBps", WI_RATE, 8 * K},
    {"MBps", WI_RATE, 8 * K *K},
    {"GBps", WI_RATE, 8 * K *K *K},
    {"TBps", WI_RATE, 8 * K *K *K *K},
    {"KiBps", WI_RATE, 8 * KI},
    {"MiBps", WI_RATE, 8 * KI *KI},
    {"GiBps", WI_RATE, 8 * KI *KI *KI},
    {"TiBps", WI_RATE, 8 * KI *KI *KI *KI},

    {"B", WI_SIZE, 1},
    {"kB", WI_SIZE, K},
    {"MB", WI_SIZE, K *K},
    {"GB", WI_SIZE, K *K *K},
    {"TB", WI_SIZE, K *K *K *K},
    {"KiB", WI_SIZE, KI},
    {"MiB", WI_SIZE, KI *KI},
    {"GiB", WI_SIZE, KI *KI *KI},
    {"TiB", WI_SIZE, KI *KI *KI *KI},

    {"%", WI_SHARE, 1},

    /* Understood only to say that sizes are in bytes. */
    {"b", WI_BITS, 1},
    {"bit", WI_BITS, 1},
    {"bits", WI_BITS, 1},
    {"kb", WI_BITS, K},
    {"Mb", WI_BITS, K *K},
    {"Gb", WI_BITS, K *K *K},
    {"Tb", WI_BITS, K *K *K *K},
    {"kbit", WI_BITS, K},
    {"Mbit", WI_BITS, K *K},
    {"Gbit", WI_BITS, K *K *K},
    {"Kib", WI_BITS, KI},
    {"Mib", WI_BITS, KI *KI},
    {"Gib", WI_BITS, KI *KI *KI},
};
const size_t wi_units_count = sizeof wi_units / sizeof *wi_units;
