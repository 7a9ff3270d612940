#!/bin/sh
# RFC 7928's scenarios with six queue disciplines: examples/aqm/rfc7928.sh [FOLDER [WEIR]]. Studies' tables lie in FOLDER/*/aggregate.csv,
# pictures beside them. docs/examples/aqm.md reads them. Two minutes of a core.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-results/rfc7928} weir=${2:-weir}
mkdir -p "$folder"
for study in aqm beside rtt bursts; do # sections 5.1 and 5.2, 5.2 to 5.4, 6, 7
    "$weir" study "$here/$study.yaml" -q -o "$folder/$study"
done
for scenario in levels line; do # sections 8.2.5 and 8.2.6
    runs=''
    for queue in droptail red codel fq_codel pie dualpi2; do
        case $queue in
        red) keys=', limit: 125kB, min: 12kB, max: 36kB' ;;
        fq_codel | dualpi2) keys='' ;;
        *) keys=', limit: 125kB' ;;
        esac
        "$weir" run "$here/$scenario.yaml" -q --set "topology.queue={type: $queue$keys}" -o "$folder/$scenario-$queue" >/dev/null
        runs="$runs $queue=$folder/$scenario-$queue"
    done
    # shellcheck disable=SC2086
    "$weir" plot $runs series-ports-queue_bytes -q -o "$folder/$scenario.svg"
done
echo "RFC 7928: tables and pictures in $folder"
