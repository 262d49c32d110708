// Reserved codes: nothing raises them, and their numbers are not reused; each with the capability that it is reserved for.

/** A code is removed from this list when it becomes a row of the findings. */
export const reservedFindings = {
  ERR00015: 'grants of the replication account unreadable',
  ERR00030: 'proxy still sees the primary',
  ERR00035: 'not electable: writable server of a pair',
  ERR00036: 'not electable: intermediate replica',
  ERR00038: 'not electable in a failover',
  ERR00039: 'not electable',
  ERR00045: 'intermediate replica not configured',
  ERR00046: 'intermediate replica not configured, repointing delayed',
  ERR00048: 'broken ring',
  ERR00049: 'positional replica waits for the old primary',
  ERR00061: 'no credential configured',
  ERR00065: 'crash record of a returning replica missing',
  ERR00067: 'replica needs recovery',
  ERR00073: 'events of a server unreadable',
  ERR00078: 'server cannot resolve the address of the manager',
  ERR00080: 'session with old TLS keys',
  ERR00082: 'nodes of the orchestrator unreadable',
  ERR00090: 'saved secrets not encrypted',
  ERR00092: 'topology differs from the configured one',
  ERR00097: 'failover blocked by signs of life',
  ERR00101: 'one account with two passwords',
  ERR00107: 'address of a server unknown to a proxy',
  MDEV19577: 'known fault of a release: replication',
  MDEV20821: 'known fault of a release: parallel replication',
  MDEV28310: 'known fault of a release: binary log',
  WARN0045: 'service queued for provisioning',
  WARN0046: 'first answer of a service pending',
  WARN0054: 'slow replicated statements not logged on a replica',
  WARN0056: 'binary log of a replica not compressed',
  WARN0062: 'slow heartbeat of the primary',
  WARN0066: 'slow replicated statements not logged on the primary',
  WARN0068: 'binary log of the primary not compressed',
  WARN0159: 'old name of a setting',
  WARN0160: 'setting without effect',
} as const

/** What a code is reserved for, or what reports its condition in its place. */
const capabilities: Readonly<Record<string, string>> = {
  'orchestrators with nodes (Kubernetes, OpenSVC, SlapOS)': 'ERR00082 WARN0045 WARN0046',
  'a proxy as a witness of the primary': 'ERR00030 ERR00097',
  'proxies that resolve the names of servers': 'ERR00107',
  'a configured topology (topology-target)': 'ERR00045 ERR00046 ERR00048 ERR00092',
  'replication by file and position': 'ERR00049',
  'known faults of releases (failover-mdev-check)': 'MDEV19577 MDEV20821 MDEV28310',
  'saved secrets that are encrypted': 'ERR00090',
  'sessions that outlive a rotation of TLS keys': 'ERR00080',
  'hosts that resolve the address of the manager': 'ERR00078',
  'events of the event scheduler': 'ERR00073',
  'the heartbeat table (monitoring-write-heartbeat)': 'WARN0062',
  'advice on slow statements and compression of binary logs': 'WARN0054 WARN0056 WARN0066 WARN0068',
  'outage of a channel of alerts': 'WARN0138',
  'nothing: the reason in `explain` has the condition': 'ERR00035 ERR00036 ERR00038 ERR00039',
  'nothing: ERR00005 reports it': 'ERR00015',
  'nothing: ERR00057 reports it': 'ERR00101',
  'nothing: ERR00066 reports it': 'ERR00065',
  'nothing: ERR00125 and ERR00126 report it': 'ERR00067',
  'nothing: the check of the configuration refuses it': 'ERR00061',
  'nothing: `bin/manager --explain-config` reports it': 'WARN0159 WARN0160',
}

/** The capability that a code is reserved for. */
export const reservedFor = (code: string): string | undefined =>
  Object.entries(capabilities).find(([, codes]) => codes.split(' ').includes(code))?.[0]
