#!/usr/bin/env bash
# A real Kafka broker, for as long as its standard input is open. Usage: broker.sh FOLDER PORT, with the jars in the folder
# TIDEGATE_KAFKA. The content of FOLDER is kept from one start to the next, and more.properties in it is read at the first
# one. KAFKA_FORMAT are arguments for its formatting. Prints its process id, then "ready".
set -euo pipefail
folder=$1 port=$2 controller=$(($2 + 1))
mkdir -p "$folder"
properties="$folder/server.properties"
# It lives for seconds, so the second compiler never pays.
lean=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData)
archive="$TIDEGATE_KAFKA/../broker.jsa"
[ ! -e "$archive" ] || lean+=(-XX:SharedArchiveFile="$archive")
if [ ! -f "$properties" ]; then
    cat > "$properties" <<END
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$controller
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller
advertised.listeners=PLAINTEXT://127.0.0.1:$port
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs=$folder/data
auto.create.topics.enable=false
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
log.retention.check.interval.ms=500
log.segment.delete.delay.ms=100
log.initial.task.delay.ms=500
END
    cat "$folder/more.properties" >> "$properties" 2> /dev/null || true
    # Data that another broker has left behind are formatted already.
    if [ ! -f "$folder/data/meta.properties" ]; then
        id=$(head -c 16 /dev/urandom | base64 | tr '+/' 'AB' | tr -d =)
        java "${lean[@]}" -cp "$TIDEGATE_KAFKA/*" kafka.tools.StorageTool format -t "$id" -c "$properties" ${KAFKA_FORMAT:-} \
            > "$folder/format.log" 2>&1
    fi
fi
# Its output of one start; that of earlier starts would be mistaken for it.
said="$folder/said-$$"
java -Xmx320m "${lean[@]}" ${KAFKA_OPTS:-} -cp "$TIDEGATE_KAFKA/*" kafka.Kafka "$properties" > "$said" 2>&1 &
broker=$!
trap 'kill -9 $broker 2> /dev/null || true' EXIT
echo "$broker"
until grep -qs "Kafka Server started" "$said"; do
    kill -0 "$broker" 2> /dev/null || { tail -n 20 "$said" >&2; exit 1; }
    sleep 0.1
done
echo ready
# Until the process that started it goes, or it is killed.
while kill -0 "$broker" 2> /dev/null; do
    status=0
    read -r -t 1 _ || status=$?
    # More than 128: nothing was said for a second.
    if [ "$status" -le 128 ]; then
        # The tests are over, and this one is not lent.
        if [ -e "$folder/disposable" ]; then
            kill -9 "$broker"
            wait "$broker" 2> /dev/null || true
            rm -rf "$folder"
        fi
        exit 0
    fi
done
