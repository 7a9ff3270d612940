// million.mjs FILE: flows.csv of a million flows, as a run writes them.
import { closeSync, openSync, writeSync } from "node:fs";

const file = openSync(process.argv[2], "w");
writeSync(file, "flow,class,protocol,fidelity,from,to,start_s,end_s,size_bytes,received_bytes,goodput_bps,completion_s,slowdown,packets_sent,rtt_mean_s,delay_mean_s\n");
let rows = "";
for (let i = 0, state = 1; i < 1e6; i++) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  const u = (state + 1) / 4294967297, done = -Math.log(u) / 10;
  rows += `${i},${i % 3 ? "mice" : "elephants"},tcp,packet,h${i % 64},h${(i + 7) % 64},${(i / 1e5).toFixed(6)},${(i / 1e5 + done).toFixed(6)},15000,15000,${(120000 / done).toFixed(1)},${done.toFixed(9)},${(1 + done * 40).toFixed(4)},11,0.00${1000 + (state % 9000)},0.000${1000 + (state % 7000)}\n`;
  if (rows.length > 1 << 20) { writeSync(file, rows); rows = ""; }
}
writeSync(file, rows);
closeSync(file);
