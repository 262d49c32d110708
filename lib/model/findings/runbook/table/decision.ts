// Pages of findings about operations in progress and about rules that block a failover.
import type { FindingCode } from '../../../findings.js'
import { cli, mariadb, type Page, shell, sql } from '../kit/page.js'
import { channels, errorLog, failoverOnRequest, overview, reachable, verdict } from '../kit/steps.js'

export const decisionPages = {
  ERR00001: {
    means:
      'The primary failed, and another server is being promoted. Writes fail until it is open, usually for a few seconds. Nothing else is started meanwhile.',
    causes: ['The primary died and every failover rule was met, or a person started the failover.'],
    check: [
      'Its steps as they happen:',
      cli('events'),
      'Or until it has ended:',
      cli('wait --for operation --timeout 5m'),
    ],
    act: [
      'Wait. Afterwards read what was lost, and find out why the old primary failed:',
      cli('cluster crashes'),
      cli('server errorlog <server> --limit 50'),
    ],
    avoid: [
      'Do not start or open servers by hand while it runs.',
      'Do not restart the manager: it would have to finish or undo the plan first.',
    ],
  },
  ERR00002: {
    means:
      'The primary is down, and nothing happens automatically: failover-mode is manual. Clients cannot write until you decide.',
    causes: ['failover-mode = manual, the default, with which the manager only reports.'],
    check: [...reachable, ...verdict],
    act: [
      'If the old primary returns within seconds, let it: nothing is lost. Else fail over:',
      ...failoverOnRequest,
      'To leave such decisions to the manager from now on:',
      cli('setting set failover-mode automatic'),
    ],
    avoid: ['Do not promote a replica by hand: the manager would not know of it, and the old primary is not closed.'],
  },
  ERR00191: {
    means:
      'Clients cannot write, and the manager does not change that now: the cluster is observed or paused, the primary was set read-only by a person, or a rule waits. The detail has the server and the reason.',
    causes: [
      'The primary died while monitoring-observe or monitoring-pause is on.',
      'A person set read_only on the primary.',
      'The primary died, and the evidence of its death, or the candidate, is not sufficient yet.',
    ],
    check: [...overview, ...verdict, ...reachable],
    act: [
      'If the primary is down and does not return within seconds, fail over on request:',
      ...failoverOnRequest,
      'If it was set read-only and is to take writes again:',
      sql('SET GLOBAL read_only = OFF'),
      'To leave such decisions to the manager from now on:',
      cli('setting switch monitoring-observe off'),
      cli('setting switch monitoring-pause off'),
    ],
    avoid: ['Do not promote a replica by hand: the manager would not know of it, and the old primary is not closed.'],
  },
  ERR00192: {
    means:
      'The primary takes writes, but no replica could replace it: if it died now, the cluster would be down until a person restores one. The detail has the reason for each server. While a replica is away or has just restarted, this is no error for the first minute.',
    causes: [
      'The only replica is down, or its replication is stopped.',
      'Every replica is behind by more than the limit, is delayed on purpose, or cannot be the primary as it is configured.',
      'The privileges of the manager do not suffice on the replicas.',
    ],
    check: [...overview, ...verdict, ...channels],
    act: [
      'Restore one replica: the findings of each server name its cause and what to do. Where its replication is stopped without an error:',
      cli('server start-slave <server>'),
      'Where its data cannot be used any more:',
      cli('reseed <server> --plan'),
      'Wait until a server could take over again:',
      cli('wait --for no-findings=ERR00192 --timeout 10m'),
    ],
    avoid: ['Do not restart or stop the primary meanwhile: nothing would replace it.'],
  },
  ERR00189: {
    means:
      'The primary is dead and the manager began to fail over, but a step failed each time and everything was undone: clients cannot write. The detail counts the attempts and has the error of the latest one. The manager goes on, after rests of 1, 2, 5, 10 and then 30 s; it does not rest when another server would take over, or when the server that refused is read otherwise.',
    causes: [
      'The account of the manager was denied a statement on the candidate: a privilege is missing.',
      'The account may not open another session there (MAX_USER_CONNECTIONS), or the server has none left.',
      'The candidate does not finish a statement in time: a lock that a backup holds, a slow disk.',
    ],
    check: [
      ...overview,
      'The step that failed:',
      cli('cluster logs --limit 100'),
      ...verdict,
      'What the account may do on the candidate:',
      sql('SHOW GRANTS FOR <account>'),
    ],
    act: [
      'Correct the cause; the next attempt follows within 30 s. Or ask for a failover, which does not wait:',
      ...failoverOnRequest,
    ],
    avoid: ['Do not promote a replica by hand while the manager goes on: stop it, or set monitoring-pause, before.'],
  },
  ERR00016: {
    means:
      'The manager cannot reach the primary, but replicas still receive from it: it is alive. Clients that reach it write as before, so no failover takes place.',
    causes: [
      'The network between the manager and the primary: a firewall, a route, a full connection table.',
      'The primary accepts no new connections (see ERR00076).',
    ],
    check: [
      ...reachable,
      'From another host, for example that of a replica:',
      shell('nc -vz <primary> 3306'),
      ...channels,
    ],
    act: [
      'Restore the path between the manager and the primary.',
      'If the primary hangs and only its open connections live on, stop its process: with replicas cut off, the failover follows.',
      shell('systemctl kill --signal=SIGKILL mariadb'),
    ],
    avoid: ['Do not start a failover on request: the primary acknowledges writes, and both would be open.'],
  },
  ERR00022: {
    means:
      'Another manager changes things on these servers. Two of them close each other’s primaries; therefore this one takes no automatic action, no failover either, and refuses requests that change something (409, `other-manager`). It calls no scripts and sends no alerts but those about itself, as this one, and stores no binary logs: the other one does.',
    causes: [
      'A second installation was started for a test or a migration and has the same servers.',
      'A copy of the virtual machine of the manager is running.',
      'The old manager was not stopped after a move.',
    ],
    check: [
      'The hosts of the other manager are in the detail. Which accounts are connected from there:',
      sql('SELECT user, host, time, info FROM information_schema.processlist ORDER BY host'),
    ],
    act: [
      'Decide which one is to act. On the host of the other, stop it:',
      shell('systemctl stop manager'),
      'Or let it only observe:',
      cli('setting switch monitoring-observe on'),
      'This manager acts again within seconds after the other one has stopped; what the other one opened or closed in its last five seconds it leaves as it is meanwhile.',
    ],
    avoid: ['Do not let both act: they interfere with every failover.'],
  },
  WARN0362: {
    means:
      'Several instances of the manager share the fleet by etcd or ask an arbitrator, and another one owns this cluster. This one shows what it sees, answers role checks and changes nothing.',
    causes: [
      'The usual state of every instance but one.',
      'Nobody owns the cluster yet: an instance has just ended, and its lease runs out.',
    ],
    check: ['The detail has the owner, or that there is none. Who would act:', cli('cluster alerts')],
    act: [
      'Ask the owner for what changes something. If there is none for longer than the lease, check that etcd, or the arbitrator, answers.',
    ],
    avoid: ['Do not remove keys from etcd by hand: two owners could act for a moment.'],
  },
  ERR00181: {
    means:
      'The lease of this instance in etcd could not be renewed in time, so another instance may own the cluster by now. This one goes on watching it and changes nothing, a dead primary is not failed over.',
    causes: [
      'etcd is down, or has lost its majority.',
      'The network to etcd is cut, or its certificates have expired.',
      'The user of cluster-store-user was removed.',
    ],
    check: ['Whether etcd has a leader:', shell('etcdctl endpoint status --cluster --write-out=table'), ...verdict],
    act: [
      'Repair etcd: this or another instance owns the cluster again within seconds.',
      'If etcd cannot be repaired and the primary is down, move the role by hand.',
    ],
    avoid: ['Do not start a manager without etcd beside these: it shares no state with them.'],
  },
  ERR00055: {
    means:
      'This manager acts only while the arbitrator lets it (arbitration-external), and the arbitrator has not answered for as long as the lease. Another manager may have been let by now, so this one goes on watching and changes nothing: a dead primary is not failed over.',
    causes: [
      'The arbitrator is stopped, or its host is down.',
      'The network to it is cut, or arbitration-external-hosts names another address.',
      'arbitration-external-secret is not among the secrets of the arbitrator.',
    ],
    check: [
      'The detail has what the request ended with. Whether the arbitrator runs, on its host:',
      shell('systemctl status manager-arbitrator'),
      ...verdict,
    ],
    act: [
      'Start the arbitrator with its state file: a manager acts again within a second, after its restart within one lease.',
      'If it is lost for long and the primary is down, move the role by hand.',
    ],
    avoid: ['Do not start a second arbitrator beside it: each would let another manager act.'],
  },
  ERR00068: {
    means:
      'This manager hears no other manager, and it is not the one that the arbitrator lets act on the cluster. The other one may have made another server the primary, so this one changes nothing, and its role checks answer no for every server.',
    causes: [
      'The network between the sites is cut, and the manager of the other site won the arbitration.',
      'This site is cut off from the arbitrator as well (ERR00055).',
      'The other manager sees the primary, or more of the cluster, and this one does not.',
    ],
    check: ['Who won is in the detail. What that manager says of the cluster, at its address:', cli('cluster show')],
    act: [
      'Repair the network between the sites. The manager that acts then brings the servers of this site back.',
      'Until then keep clients of this site from a primary that the other side has replaced: arbitration-failed-master-script, or manager-agent with isolated = close.',
    ],
    avoid: ['Do not turn arbitration-external off at this site: both managers would act.'],
  },
  WARN0079: {
    means:
      'No manager of arbitration-peer-hosts has answered for three seconds. Which manager acts is the decision of the arbitrator meanwhile.',
    causes: [
      'The other manager is stopped.',
      'The network between the sites is cut.',
      'arbitration-peer-hosts names another address or port than its http-port.',
    ],
    check: [
      'Whether its heartbeat is answered, from this host:',
      shell('curl -sS http://manager2:10001/api/heartbeat'),
    ],
    act: ['Start the other manager, or repair the network to it.'],
    avoid: ['Do not take servers of the other site for dead because their manager is silent.'],
  },
  WARN0340: {
    means:
      'A second manager probes the servers of this cluster. It gives way and takes no automatic action, so this one works as usual. It would act if this manager stopped.',
    causes: ['A stand-by installation, intended or forgotten.', 'A migration in progress.'],
    check: [
      'Its host is in the detail. Which accounts are connected from there:',
      sql('SELECT user, host, time FROM information_schema.processlist ORDER BY host'),
    ],
    act: [
      'If it is not intended, stop it on its host, or remove the servers from its settings:',
      shell('systemctl stop manager'),
    ],
    avoid: ['Do not stop this manager to see what happens: the other one then acts with its own settings.'],
  },
  ERR00026: {
    means:
      'All servers were down, and a replica was the first to return. It may be without the last acknowledged writes of the primary, so it is not promoted automatically.',
    causes: [
      'A power cut or a shared storage failure, after which the replica started faster.',
      'The primary does not start: damaged files, full disk.',
    ],
    check: [...errorLog, ...verdict, 'Which server was the primary:', cli('cluster crashes')],
    act: [
      'Start the old primary: it continues, nothing is lost.',
      cli('server start <primary>'),
      'If it is permanently lost, fail over with what the others have:',
      ...failoverOnRequest,
      'To accept that risk always (not recommended with asynchronous replication):',
      cli('setting switch failover-restart-unsafe on'),
    ],
    avoid: ['Do not fail over before you know that the old primary cannot be started.'],
  },
  ERR00027: {
    means:
      'The automatic failovers allowed by failover-limit are used up. The primary is down and is not replaced until the counter is reset.',
    causes: [
      'Servers that fail one after the other for one cause: a faulty release, storage, an out-of-memory killer, a query that crashes servers.',
    ],
    check: ['What the last failovers had in common:', cli('cluster crashes'), cli('explain'), ...errorLog],
    act: [
      'Remove the cause first. Then let the manager act again:',
      cli('cluster reset-failover-control'),
      'Or move the role once, on request:',
      ...failoverOnRequest,
    ],
    avoid: [
      'Do not just raise failover-limit: the next server fails for the same cause.',
      'cluster reset-failover-control also accepts transactions that the primary is missing (ERR00117) or that a replica passed over (ERR00128): check that neither is open.',
    ],
  },
  ERR00028: {
    means:
      'A replica still receives from the primary that the manager cannot reach: the primary is alive, and a failover would make a second one.',
    causes: [
      'The network between the manager and the primary only.',
      'The primary accepts no new connections, while open ones work.',
    ],
    check: [...verdict, ...reachable, ...channels],
    act: [
      'Restore the path between the manager and the primary.',
      'If the primary hangs for clients, stop its process on its host; the failover follows when its replicas have lost it.',
      shell('systemctl kill --signal=SIGKILL mariadb'),
    ],
    avoid: [
      'Do not disable failover-falsepositive-heartbeat: a replica that still receives blocks the failover all the same, rightly.',
    ],
  },
  ERR00029: {
    means:
      'The primary is down, and the last failover is more recent than failover-time-limit allows. The manager waits for that time.',
    causes: ['The server promoted last failed as well: probably for the same cause.'],
    check: [...verdict, cli('cluster crashes'), ...errorLog],
    act: [
      'Find what the two failures have in common. Then wait, or let the manager act now:',
      cli('cluster reset-failover-control'),
    ],
    avoid: ['Do not set failover-time-limit to 0 in a hurry: it protects from moving the role in a circle.'],
  },
  ERR00031: {
    means:
      'The external check (failover-falsepositive-external) still reaches the primary, so it counts as alive and is not replaced.',
    causes: [
      'The manager is isolated from the primary, the checker is not.',
      'The checker answers for the host, not for the database.',
    ],
    check: [...verdict, ...reachable],
    act: [
      'Restore the path between the manager and the primary.',
      'If the check is wrong, disable it, and the other rules decide:',
      cli('setting switch failover-falsepositive-external off'),
    ],
    avoid: ['Do not disable it while clients still write to the primary.'],
  },
  ERR00032: {
    means: 'The primary is down and no server can take over. Clients cannot write until one is restored.',
    causes: [
      'All replicas are down, behind, stopped, ignored or in maintenance.',
      'The received transactions of two replicas have diverged: a person has to choose.',
    ],
    check: ['The reason of each server is in the list below the rules:', cli('explain'), ...channels],
    act: [
      'Remove the reason of the most advanced server: end its maintenance, start its replication, rate it as a candidate.',
      cli('server del-maintenance <server>'),
      cli('server start-slave <server>'),
      cli('server set-unrated <server>'),
      'Or start the old primary: if it comes back, nothing has to move.',
    ],
    avoid: [
      'Do not promote a server by hand that the list excludes for errant or missing transactions: read its reason first.',
    ],
  },
  ERR00100: {
    means:
      'The primary role is being moved on request. Writes are blocked for its duration, usually below a second; then the new primary takes them.',
    causes: ['A person, a schedule, or the return of the role to the preferred server started it.'],
    check: ['Its steps as they happen:', cli('events'), cli('wait --for operation --timeout 5m')],
    act: [
      'Wait until it ends. If it fails, everything is as before, and the reason is in the log:',
      cli('cluster logs --limit 50'),
    ],
    avoid: ['Do not kill its sessions on the databases.', 'Do not start a second one.'],
  },
  ERR00114: {
    means:
      'A server is called the primary only by its replicas; the manager has never seen it in that role, and it does not answer. Whether it was writable or has more transactions is unknown, so it is not replaced automatically.',
    causes: [
      'The manager was started after the primary had died.',
      'The address that replicas use for their source is one that the manager cannot reach.',
    ],
    check: [...overview, ...reachable, ...channels],
    act: ['If it can be started, start it. If it is permanently lost:', ...failoverOnRequest],
    avoid: ['Do not fail over if clients still write to it: only the manager may be unable to reach it.'],
  },
  ERR00115: {
    means:
      'The primary is down, and not every other server has been probed since. The election waits for them, since one of them may be the most advanced. It takes a few probes.',
    causes: ['A replica is slow to answer or fails at the same time as the primary.'],
    check: [...verdict, ...overview],
    act: [
      'Wait some seconds. If it stays, a server does neither answer nor fail: restore it, or take it out of the decision.',
      cli('server set-maintenance <server>'),
    ],
    avoid: ['Do not put the most advanced server into maintenance: it is then not elected.'],
  },
  ERR00116: {
    means:
      'A server that cannot be promoted has received transactions that the candidate is missing. With semi-synchronous replication they may be acknowledged to clients: a failover would lose them, so a person decides.',
    causes: ['The most advanced replica is ignored, in maintenance, stopped, or has no binary log.'],
    check: ['Which server holds them, and why it is excluded:', cli('explain')],
    act: [
      'Make that server a candidate: end its maintenance, start its replication, remove its rating.',
      cli('server del-maintenance <server>'),
      cli('server start-slave <server>'),
      cli('server set-unrated <server>'),
      'Or give these transactions up:',
      ...failoverOnRequest,
    ],
    avoid: ['Do not start the failover before you have noted which transactions are given up (explain shows them).'],
  },
  ERR00118: {
    means:
      'Monitoring of this cluster ended after repeated internal errors of the manager. Its databases run on, unwatched: no failover takes place. Other clusters are not concerned.',
    causes: [
      'A fault of the manager that something in this cluster triggers: an unusual reply of a server, a damaged state file.',
    ],
    check: [
      'The error with its stack is in the crash records, in the working directory of the manager (monitoring-datadir):',
      shell('find /var/lib/manager -name actor-crashes.jsonl -exec tail -n 3 {} +'),
      'Which clusters are concerned:',
      cli('monitor show --query quarantined'),
    ],
    act: [
      'Keep a copy of the crash records, then restart the manager: every cluster is monitored again. Databases and proxies are not touched by that.',
      shell('systemctl restart manager'),
      'If it ends again, report the record. Until it is corrected, watch the primary by other means: nothing replaces it.',
    ],
    avoid: ['Do not delete the state of the cluster: the history that makes a failover safe is in it.'],
  },
  ERR00120: {
    means:
      'The cluster is paused: it is monitored, and nothing is done automatically, no failover either. Requests of users are carried out.',
    causes: ['A person paused it, for example for maintenance, and did not end that.'],
    check: ['Who paused it, and when:', cli('setting history --name monitoring-pause')],
    act: ['End it:', cli('resume'), 'If the primary is down now, the manager fails over as soon as that is done.'],
    avoid: ['Do not end it while someone is working on the servers: ask the person of the history first.'],
  },
  ERR00122: {
    means:
      'The cluster is a Galera cluster: its members take over from each other, and there is nothing to promote. Proxies send writes to the next synced member.',
    causes: ['Normal for this topology.'],
    check: [...overview, mariadb("SHOW GLOBAL STATUS LIKE 'wsrep_cluster_status'")],
    act: ['Restore the member that is down; it joins again when it starts.', cli('server start <server>')],
    avoid: ['Do not bootstrap a member while another one is in the Primary component.'],
  },
  ERR00140: {
    means:
      'The primary is silent, but it may be alive and acknowledge writes on the other side of a network partition. Replacing it could make two primaries or lose acknowledged writes, so the manager waits.',
    causes: [
      'A partition: the primary and some replicas are apart from the manager.',
      'Replicas that could prove its end cannot be asked.',
      'With durability-policy lossless: the failover would lose acknowledged transactions.',
    ],
    check: [
      'Which servers cannot be asked, and how much is at stake:',
      cli('explain'),
      'From a host on the other side, whether the primary runs and clients write:',
      shell('nc -vz <primary> 3306'),
    ],
    act: [
      'Best: restore the network, or the servers that cannot be asked. The decision follows within seconds.',
      'If the other side is certainly lost (hosts off, power cut), say so by a failover on request; it accepts the loss that the plan shows:',
      ...failoverOnRequest,
    ],
    avoid: [
      'Do not fail over while clients reach the old primary: their acknowledged writes are lost.',
      'Do not change durability-policy to make it pass: that decides the same, without showing it.',
    ],
  },
  WARN0023: {
    means:
      'The primary has failed failover-falsepositive-ping-counter probes in a row: it counts as failed. The other rules decide whether it is replaced.',
    causes: ['The process or host of the primary is down.', 'The network between the manager and the primary.'],
    check: [...verdict, ...reachable],
    act: [
      'In automatic mode, wait some seconds: the failover follows, or another finding says what blocks it.',
      'In manual mode:',
      ...failoverOnRequest,
    ],
    avoid: ['Do not restart the primary repeatedly: each start interrupts the evidence that the failover needs.'],
  },
} as const satisfies Partial<Record<FindingCode, Page>>
