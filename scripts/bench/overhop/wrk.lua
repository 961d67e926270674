local wires = {}
local turn = 0

function init(args)
  if args[1] then
    for path in io.lines(args[1]) do
      wires[#wires + 1] = wrk.format("GET", path)
    end
    request = function()
      turn = turn % #wires + 1
      return wires[turn]
    end
  end
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format('counted {"requests":%d,"micros":%d,"p50":%d,"p99":%d,"failed":%d,"status":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    e.connect + e.read + e.write + e.timeout, e.status))
end
