// Pages of findings about who is the primary and who follows whom.
import type { FindingCode } from '../../../findings.js'
import { cli, mariadb, mysql, type Page, shell, sql } from '../kit/page.js'
import { channels, compareSets, errorLog, overview, reachable, refill } from '../kit/steps.js'

export const topologyPages = {
  ERR00010: {
    means:
      'No server of the cluster replicates from another. The primary has no candidate: if it fails, nothing can take over.',
    causes: [
      'The servers are new, and replication was never set up.',
      'The replicas were removed from db-servers-hosts, or their replication was reset (RESET REPLICA ALL).',
      'Every replica replicates from a server that is not a member (ERR00064).',
    ],
    check: [...overview, ...channels],
    act: [
      'On new servers, make them a primary with replicas; the plan shows what each server would become:',
      cli('replication bootstrap master-slave --plan'),
      cli('replication bootstrap master-slave'),
      'If one server has data and the others are empty or old, fill these from a copy of it first (see WARN0186).',
    ],
    avoid: [
      'Do not bootstrap servers of which more than one has data: compare them first, since one of the data sets is given up.',
    ],
  },
  ERR00011: {
    means:
      'Two or more servers replicate from each other, and the settings describe no such topology. Which of them takes the writes is not determined by configuration.',
    causes: [
      'An old primary was made a replica by hand, and its replica still follows it.',
      'A multi-primary pair or ring that was never configured as one.',
    ],
    check: [...overview, ...channels],
    act: [
      'If the pair or ring is intended, configure it:',
      cli('setting switch replication-multi-master on'),
      cli('setting switch replication-multi-master-ring on'),
      'Else end the replication of the server that is to be the primary:',
      cli('server reset-slave-all <server> --force --plan'),
    ],
    avoid: ['Do not end the replication of both.', 'Do not write to both: conflicts are not resolved.'],
  },
  ERR00012: {
    means:
      'The manager knows no primary: nothing is replaced, and proxies have no target for writes. If servers answer, clients may still write to one of them directly.',
    causes: [
      'The manager has just started and the servers are down or still starting: nothing shows which was the primary.',
      'All servers are standalone: replication was reset or never set up.',
      'More than one server is writable and none is more advanced (ERR00063): the manager does not guess.',
      'The replicas point to a server that is not in db-servers-hosts.',
    ],
    check: [
      ...overview,
      'Of each server that answers, whether it is writable and what it has executed:',
      sql('SELECT @@global.read_only, @@global.server_id'),
      ...compareSets.slice(1),
      'Which server was the primary before:',
      cli('cluster crashes'),
      cli('cluster logs --limit 100'),
    ],
    act: [
      'Start the servers that are down, the last primary first; with it the topology is recognised within seconds.',
      cli('server start <server>'),
      'If the last primary is permanently lost, start a failover: it promotes the most advanced server.',
      cli('failover --plan'),
      cli('failover'),
      'New servers without replication: form the topology.',
      cli('replication bootstrap master-slave --plan'),
    ],
    avoid: [
      'Do not open a server for writes because it answers first: the most advanced one may still be starting.',
      'Do not run replication bootstrap on servers that have data and whose history you have not compared.',
    ],
  },
  ERR00013: {
    means:
      'The replica writes no binary log. It serves reads, and cannot be promoted: no other server could follow it.',
    causes: ['log_bin is missing in its option file (the default of MariaDB).', 'skip-log-bin is set (MySQL).'],
    check: [sql("SHOW GLOBAL VARIABLES LIKE 'log_bin'"), 'Whether others could take over:', cli('explain')],
    act: [
      'Set log_bin and log_slave_updates in its option file, then restart it. By the configurator:',
      cli('configuration drift <server>'),
      cli('server restart <server>'),
    ],
    avoid: [
      'Do not remove it from the election only in your head: if it shall never be promoted, rate it so (server set-ignored).',
    ],
  },
  ERR00021: {
    means: 'No server of the cluster answers. Clients can neither read nor write, and nothing can be promoted.',
    causes: [
      'Power, network or storage that all hosts share.',
      'The manager itself is isolated: the databases may run and serve clients.',
      'A change that was rolled out everywhere: an option file, a package, a certificate.',
    ],
    check: [
      'First whether it is the manager that is isolated. From the host of the manager, and from a client:',
      ...reachable.slice(1),
      ...errorLog,
      'Which server was the primary last, and the last operations:',
      cli('cluster crashes'),
      cli('cluster logs --limit 50'),
    ],
    act: [
      'Start the last primary first: it has every acknowledged write. Then the others; they continue as replicas.',
      cli('server start <server>'),
      'If the last primary is permanently lost, start the others and fail over on request (ERR00026 explains why this is not automatic).',
      cli('failover --plan'),
    ],
    avoid: [
      'Do not open the first server that starts for writes: it may be a replica that is behind.',
      'Do not run replication bootstrap: it is for new servers.',
    ],
  },
  ERR00077: {
    means:
      'Every database of the cluster is down; the detail names them. It accompanies ERR00021, which has the steps.',
    causes: [
      'Power, network or storage that all hosts share.',
      'The manager itself is isolated.',
      'A change that was rolled out everywhere.',
    ],
    check: [...reachable, ...errorLog],
    act: ['Start the last primary first, then the others:', cli('cluster crashes'), cli('server start <server>')],
    avoid: ['Do not open the first server that starts for writes: it may be a replica that is behind.'],
  },
  ERR00064: {
    means:
      'The server replicates from a source that is no member of the cluster. It does not receive the writes of the primary and is not elected.',
    causes: [
      'It was repointed by hand, or restored from a backup of another cluster.',
      'Its source was removed from db-servers-hosts, or is named there by another name or address.',
    ],
    check: [...channels, 'How the members are named:', cli('server list')],
    act: [
      'If the source is a member under another name, configure the name that the replica uses in db-servers-hosts.',
      'If it shall follow the primary, end its present replication; with autorejoin the manager repoints it, if it has no transaction that the primary is missing.',
      cli('server reset-slave-all <server> --force --plan'),
      'If it has data of another cluster:',
      ...refill,
    ],
    avoid: ['Do not repoint it by hand before you have compared its transactions with those of the primary.'],
  },
  ERR00083: {
    means:
      'Members report different Galera clusters (wsrep_cluster_state_uuid): they do not replicate from each other, and writes on both sides diverge.',
    causes: [
      'A member was bootstrapped while the cluster was running.',
      'wsrep_cluster_address of a member names nobody, so that it formed a cluster alone.',
      'db-servers-hosts lists members of two clusters.',
    ],
    check: [
      'On each member:',
      mariadb("SHOW GLOBAL STATUS LIKE 'wsrep_cluster%'"),
      mariadb("SHOW GLOBAL STATUS LIKE 'wsrep_local_state%'"),
      mariadb("SHOW GLOBAL VARIABLES LIKE 'wsrep_cluster_address'"),
    ],
    act: [
      'Decide which side has the data that counts. Stop the members of the other one, correct their wsrep_cluster_address and start them: they join by a state transfer, and what only they have is given up.',
      cli('server stop <server>'),
      cli('server start <server>'),
    ],
    avoid: ['Do not start a member with --wsrep-new-cluster while another one runs.'],
  },
  ERR00085: {
    means:
      'No replica is healthy enough for reads. They go to the primary, if the proxies are configured so, and add to its load.',
    causes: [
      'The replicas are behind by more than the limit, or their replication is stopped.',
      'They are in maintenance, down, or cut off from their source (ERR00161).',
    ],
    check: [...overview, ...channels, 'What the proxies do with reads:', cli('proxy list')],
    act: [
      'Restore one replica: the finding of each server names its cause.',
      cli('server start-slave <server>'),
      'To let clients read at all, route reads to the primary:',
      cli('setting switch proxy-servers-read-on-master-no-slave on'),
    ],
    avoid: ['Do not end maintenance of a server that is being rebuilt.'],
  },
  WARN0022: {
    means:
      'A server returns as a replica: an old primary, or one that lost its source. It is closed for writes and repointed; the detail has the reason.',
    causes: ['Normal after a failover, a restart or a repair.'],
    check: ['Its progress:', cli('topology'), cli('cluster logs --limit 30')],
    act: ['Wait until it replicates:', cli('wait --for state=<server>:Slave --timeout 10m')],
    avoid: ['Do not repoint it by hand meanwhile.'],
  },
  WARN0087: {
    means:
      'Two servers have the same server_id. They cannot replicate from each other: each takes the transactions of the other for its own and skips them. Neither is elected in place of the other.',
    causes: ['A host was cloned with its option file.', 'server_id is not set, and both have the default of 1.'],
    check: [
      sql('SELECT @@global.server_id'),
      'The option file that sets it, on the host:',
      cli('configuration drift <server>'),
    ],
    act: [
      'Give one of them another server_id in its option file, and restart it. Take the replica.',
      cli('server restart <server>'),
    ],
    avoid: [
      'Do not change server_id while the server runs: its binary log then has two of them, and replication stops with error 1950 (ERR00151).',
    ],
  },
  WARN0084: {
    means:
      'Variables of a replica differ from those of the primary. After a failover to it the cluster behaves differently: other limits, another sql_mode, other durability.',
    causes: [
      'A variable was set at run time on one server only.',
      'The option files differ, or one server has not been restarted since a change.',
    ],
    check: ['All differences, with both values:', cli('configuration diff')],
    act: [
      'Align the values; what the configurator says can be set on all servers at once, as far as it needs no restart:',
      cli('configuration apply-dynamic --plan'),
      'To stop comparing:',
      cli('setting switch monitoring-variable-diff off'),
    ],
    avoid: ['Do not align sql_mode or character sets without the owner of the application.'],
  },
  ERR00194: {
    means:
      'The manager opened a session at the address that replication-hosts states for the server of the detail, and another server answered; or an entry of the setting names no server of the cluster. Replicas that were sent there would follow the wrong server. A switchover to it is refused before anything changes. In a failover each replica tries the address with its receiver alone, finds the other server, and follows at the next address, at last that of the manager: the cluster stays failable.',
    causes: [
      'Two entries were mixed up, or one was copied.',
      'The addresses of the network for replication were assigned again, differently.',
      'The server was removed from db-servers-hosts.',
    ],
    check: [
      'What is stated:',
      cli('setting list --detail'),
      'Which server answers at the address:',
      sql('SELECT @@global.hostname, @@global.port, @@global.server_id'),
    ],
    act: [
      'Correct the setting; the manager opens another session at once, and the finding closes:',
      cli('setting set replication-hosts <host=address,host=address>'),
    ],
    avoid: ['Do not let two entries name one address.'],
  },
  WARN0259: {
    means:
      'Replicas follow the primary at an address that the manager does not use, such as one of a network for replication. For the servers of the detail no such address is known: replicas never followed them while the manager watched, none is stated, and they report none (report_host). When one of them becomes the primary, replicas follow it at the address of db-servers-hosts, and replication runs over that network.',
    causes: [
      'Replication was set up over a network of its own, and replication-hosts is empty.',
      'Replicas name the primary by its IP address and db-servers-hosts by its name, or vice versa, and the name does not resolve to that address on the host of the manager; both may be the same network.',
    ],
    check: ['Where replicas follow:', ...channels],
    act: [
      'State the address of every server; what is stated is used from the next change of a source on:',
      cli('setting set replication-hosts <host=address,host=address>'),
      'What the next change would use:',
      cli('switchover --plan'),
    ],
    avoid: ['Do not state an address that only the manager reaches: the replicas connect to it.'],
  },
  WARN0260: {
    means:
      'replication-hosts states an address for the source of this replica, and it follows at another one. Either nothing answered there, the login was refused or another server answered when it was given its source, or it was given its source before the setting, or by hand. It replicates; only the way differs.',
    causes: [
      'The network for replication is down, or a host of it was.',
      'The replication account is not permitted from that network: on MySQL and MariaDB an account has a host part.',
      'The setting was changed while replicas ran.',
    ],
    check: [
      'Why the address was not used, if the manager gave it its source:',
      cli('cluster logs --limit 100'),
      'From the host of the replica, whether the address answers:',
      shell('nc -vz <address> 3306'),
      ...channels,
    ],
    act: [
      'Correct the network, the account or the setting. Then, where the replica is to move without a change of the primary, on the replica:',
      mariadb("STOP SLAVE; CHANGE MASTER TO MASTER_HOST='<address>'; START SLAVE"),
      mysql("STOP REPLICA; CHANGE REPLICATION SOURCE TO SOURCE_HOST='<address>'; START REPLICA"),
    ],
    avoid: ['Do not reset the replica: its position stays with the change of the host.'],
  },
  ERR00066: {
    means:
      'A server that has data neither replicates nor is replicated from, and the manager has no record of how it came to be alone. It is not made a replica automatically, because its data may be the only copy of something.',
    causes: [
      'Its replication was reset by hand, or it was restored from a backup.',
      'It was added to the cluster with data of its own.',
      'The state of the manager was lost (WARN0301), and with it the crash record.',
    ],
    check: [
      ...overview,
      ...compareSets,
      'Whether a failover took place that the records show:',
      cli('cluster crashes'),
    ],
    act: [
      'If its transactions are all on the primary, make it a replica by hand:',
      mariadb(
        "SET GLOBAL gtid_slave_pos = @@global.gtid_binlog_pos; CHANGE MASTER TO MASTER_HOST='<primary>', MASTER_PORT=3306, MASTER_USER='<account>', MASTER_PASSWORD='<password>', MASTER_USE_GTID=slave_pos; START SLAVE",
      ),
      mysql(
        "CHANGE REPLICATION SOURCE TO SOURCE_HOST='<primary>', SOURCE_PORT=3306, SOURCE_USER='<account>', SOURCE_PASSWORD='<password>', SOURCE_AUTO_POSITION=1; START REPLICA",
      ),
      'If it has some of its own, save them, then:',
      ...refill,
    ],
    avoid: ['Do not erase it before its transactions are compared.', 'Do not promote it.'],
  },
} as const satisfies Partial<Record<FindingCode, Page>>
