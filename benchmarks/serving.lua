-- Single questions about alarm with findings that vary; the arguments RATE and CONNECTIONS pace them.
local observed = {
  { "HISTORY", { "TRUE", "FALSE" } },
  { "CVP", { "LOW", "NORMAL", "HIGH" } },
  { "PCWP", { "LOW", "NORMAL", "HIGH" } },
  { "HRBP", { "LOW", "NORMAL", "HIGH" } },
  { "HREKG", { "LOW", "NORMAL", "HIGH" } },
  { "BP", { "LOW", "NORMAL", "HIGH" } },
  { "PAP", { "LOW", "NORMAL", "HIGH" } },
}
local targets = { "LVFAILURE", "HYPOVOLEMIA", "PULMEMBOLUS", "ANAPHYLAXIS", "INTUBATION", "KINKEDTUBE" }
local headers = { ["Content-Type"] = "application/json" }
local mean_pause = 0

function init(arguments)
  math.randomseed(7)
  local rate, connections = tonumber(arguments[1]), tonumber(arguments[2])
  if rate > 0 then
    mean_pause = 1000 * connections / rate
  else
    delay = nil
  end
end

function request()
  local findings = {}
  for _, each in ipairs(observed) do
    if math.random() < 0.4 then
      local state = each[2][math.random(#each[2])]
      findings[#findings + 1] = string.format('{"variable":"%s","state":"%s"}', each[1], state)
    end
  end
  local target = targets[math.random(#targets)]
  local body = string.format('{"targets":["%s"],"findings":[%s]}', target, table.concat(findings, ","))
  return wrk.format("POST", "/v1/models/alarm/query", headers, body)
end

function delay()
  return math.floor(2 * mean_pause * math.random())
end

function done(summary, latency, requests)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format(
    'RESULT {"requests": %d, "seconds": %.3f, "errors": %d, "p50_ms": %.3f, "p99_ms": %.3f, "max_ms": %.3f}\n',
    summary.requests, summary.duration / 1e6, failed,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3))
end
