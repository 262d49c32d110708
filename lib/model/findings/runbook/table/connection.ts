// Pages of findings about the connections of the manager and of replication.
import type { FindingCode } from '../../../findings.js'
import { cli, mariadb, mysql, type Page, shell, sql } from '../kit/page.js'
import { channels, errorLog, reachable, sessions, verdict } from '../kit/steps.js'

export const connectionPages = {
  WARN0171: {
    means:
      'The last probe of this server got no answer. A replica that is down takes no part in reads and elections. If it is the primary, clients cannot write, and the failover rules are being judged.',
    causes: [
      'The database process was killed or crashed; connections are refused at once.',
      'The host is down, frozen or out of memory; connections time out.',
      'A firewall or network change between the manager and the server.',
      'The server was stopped by a person without maintenance.',
    ],
    check: [...reachable, ...errorLog, ...verdict],
    act: [
      'If the host runs and the process does not: start it, by the orchestrator or on the host.',
      cli('server start <server>'),
      shell('systemctl start mariadb'),
      'If it was the primary and another server has taken over, start it all the same: the manager closes it for writes and makes it a replica.',
      'If it stays down for planned work, record that, so that nobody is called again:',
      cli('server set-maintenance <server>'),
    ],
    avoid: [
      'Do not open another server for writes by hand while the manager may fail over: two writable servers diverge within seconds.',
      'Do not put a primary that is down into maintenance: that blocks the automatic failover (ERR00047).',
    ],
  },
  ERR00182: {
    means:
      'The server that answers at this address is not the one that belongs to the cluster: it is one of another cluster of this manager, it may be one that was started again, or it ran already while the earlier one answered here. It is asked again and again which server it is, and nothing else; what it holds is not read, and no failover follows.',
    causes: [
      'A name or an address was moved: DNS, a relay, a load balancer, a port that is forwarded.',
      'The server was added to two clusters under two spellings of its address.',
      'A server was replaced by one that was set up and started before the earlier one was stopped.',
      'Two clusters have servers of the same host name, port and data directory, and the older cluster does not answer: after a minute a known server is accepted again.',
    ],
    check: [
      'The detail says what answers. Which server that is, asked on the way of the manager:',
      sql('SELECT @@hostname, @@port, @@datadir, @@server_id'),
      'The log of the manager names the other cluster (server-left-alone), for administrators.',
      ...reachable,
    ],
    act: [
      'Correct the name or the address, so that it leads to the member. The finding closes at the next probe.',
      'Or drop the address from the cluster that the server does not belong to:',
      cli('server drop <server>'),
      'If the server was replaced on purpose by one that was running already, say so by maintenance: a server in maintenance may change.',
      cli('server set-maintenance <server>'),
      cli('drain <server> --end'),
    ],
    avoid: ['Do not give a server of another cluster a login of this one: the owner of either acts on it then.'],
  },
  ERR00183: {
    means:
      'The server asks for the password itself, as MySQL does after a restart, and there is no TLS. It shows an RSA key that is neither pinned (db-servers-public-keys) nor the one that this address showed first. Whatever has the other half of that key would read the password, so it was not sent. The server counts as alive and is not monitored; no failover follows.',
    causes: [
      'The data directory was made again outside the manager, or private_key.pem and public_key.pem were: the server has other keys.',
      'The address leads to another server: a name, a relay, a load balancer, a forwarded port.',
      'Something else answers at the address to get the password.',
      'db-servers-public-key-policy is strict, and the key is not in db-servers-public-keys.',
    ],
    check: [
      'The detail has the fingerprints: what the server shows, and what is remembered. Which one the server has, asked on its host:',
      shell('openssl pkey -pubin -in /var/lib/mysql/public_key.pem -outform DER | sha256sum'),
    ],
    act: [
      'If that is the fingerprint that the server shows, accept it; the finding closes at the next probe:',
      cli('server accept-public-key <server> <fingerprint>'),
      'Where keys are pinned, or the policy is strict, add public_key.pem of the server to the file of db-servers-public-keys. With TLS (db-servers-tls-ca-cert) no key is needed.',
      'If it is another one, correct the address, or find out what answers there.',
    ],
    avoid: [
      'Do not accept a fingerprint because the detail shows it: compare it on the host first.',
      'Do not set db-servers-accept-unproven-keys to get rid of the finding: the password then goes to what answers.',
    ],
  },
  ERR00004: {
    means:
      'The server runs and refuses the login of the manager. It is not monitored: its role, lag and positions are unknown. A refused login is never taken as the death of a primary, so no failover follows from it.',
    causes: [
      'The password of the account was changed on the server and not in db-servers-credential, or the reverse.',
      'The account does not exist on this server, as after a restore or on a new member.',
      'The account is limited to a host that is no longer the address of the manager.',
      'A password rotation stopped half way (WARN0321, WARN0322).',
    ],
    check: [
      'The exact refusal is in the detail. With an administrative account on the server, which accounts exist and for which hosts:',
      sql("SELECT user, host FROM mysql.user WHERE user = '<account>'"),
      'The account that the manager uses, and whether a rotation is involved:',
      cli('setting list --detail'),
      cli('password rotation'),
    ],
    act: [
      'Set the password of the account on the primary (it replicates), or on this server alone if it does not replicate:',
      sql("ALTER USER '<account>'@'%' IDENTIFIED BY '<password>'"),
      'Or give the manager the password that is valid:',
      cli('setting set db-servers-credential <account>:<password>'),
    ],
    avoid: [
      'Do not stop the server because it shows as an error: it serves clients.',
      'On a replica, do not create the account without SET SESSION sql_log_bin = 0: that is an errant transaction (WARN0091).',
    ],
  },
  ERR00187: {
    means:
      "The server knows the manager's account and password, and its password has expired: the session may do nothing but set another one. The server is alive and serves its clients; it is not monitored, and no failover follows.",
    causes: [
      'The account was created with PASSWORD EXPIRE, or with an interval.',
      'default_password_lifetime of the server applies to it.',
    ],
    check: [
      'The error is in the detail (1820 or 1862). With an administrative account on the server:',
      sql("SHOW CREATE USER '<account>'@'%'"),
      sql('SELECT @@default_password_lifetime'),
    ],
    act: [
      'On the primary (it replicates), or on this server alone if it does not replicate:',
      sql("ALTER USER '<account>'@'%' IDENTIFIED BY '<password>' PASSWORD EXPIRE NEVER"),
    ],
    avoid: [
      'On a replica, do not change the account without SET SESSION sql_log_bin = 0: that is an errant transaction (WARN0091).',
    ],
  },
  ERR00014: {
    means:
      'The manager is logged in, and the server refuses or fails the statement that reads its replication. Its role and lag are unknown, so it is not elected.',
    causes: [
      'The replication metadata of the server is damaged (error 1872, 29 or similar in the detail).',
      'A statement of the probe is not known to this release or build of the server.',
      'The server is starting or stopping.',
    ],
    check: ['The error is in the detail. Run the statement on the server:', ...channels.slice(2), ...errorLog],
    act: [
      'If the metadata is damaged, define the replication again: end it, then let the manager repoint the server (autorejoin must be on).',
      cli('server reset-slave-all <server> --force --plan'),
      'If the release does not know the statement, report the version of the server and the error.',
    ],
    avoid: ['Do not end the replication of a server before you have noted its source and position.'],
  },
  ERR00062: {
    means:
      'The name of a server cannot be resolved, by the manager or by a replica. Whether a server is alive cannot be judged without its address: an unresolvable primary is not failed over.',
    causes: [
      'The name server is down or was changed.',
      'The host name was removed or misspelled in db-servers-hosts.',
      'In containers: the name exists only while the container runs.',
    ],
    check: [
      'On the host of the manager, or of the replica that the detail names:',
      shell('getent hosts <server>'),
      shell('cat /etc/resolv.conf'),
      ...channels,
    ],
    act: [
      'Repair the name service. As a bridge, add the name to /etc/hosts on the host of the manager and on every replica.',
      'To be independent of names, configure the servers by address:',
      cli('setting set db-servers-hosts <address:port,address:port>'),
    ],
    avoid: [
      'Do not configure by address only on the manager: replicas name their source as it is configured, and would be repointed.',
    ],
  },
  ERR00076: {
    means:
      'Nearly all connections of the server are in use, or it refuses new ones for that. Clients get error 1040, Too many connections. The server is alive: no failover follows from it.',
    causes: [
      'A pool of an application was enlarged or restarted, or one application was deployed twice.',
      'Statements wait for a lock or for a full disk (WARN0100), and sessions pile up behind them.',
      'Clients open sessions and do not close them (long Sleep).',
    ],
    check: [
      ...sessions,
      'The limit, and the most that were in use:',
      sql("SHOW GLOBAL VARIABLES LIKE 'max_connections'"),
      sql("SHOW GLOBAL STATUS LIKE 'Max_used_connections'"),
    ],
    act: [
      'Raise the limit at once; it needs memory for each session:',
      sql('SET GLOBAL max_connections = <number>'),
      'Or end the sessions that hold the connections, one by one or those of a statement:',
      cli('query kill-thread <server> <thread>'),
      'Make the value permanent by the configuration of the cluster (prov-db-max-connections), and correct the pools of the applications.',
    ],
    avoid: [
      'Do not restart the server: the clients return at once, and a cold buffer pool makes it worse.',
      'Do not fail over: the clients follow.',
    ],
  },
  ERR00088: {
    means:
      'The source of a replica refuses the login of its receiver (error 1045). The replica gets older; its binary logs on the source may be deleted meanwhile (ERR00125).',
    causes: [
      'The password of the replication account was changed on the source, and the replica has the old one.',
      'The account does not exist on the source, as after a failover to a server that never had it (ERR00056).',
      'The account requires TLS, and the replica connects without.',
    ],
    check: [
      ...channels,
      'On the source, the account that replication-credential names:',
      sql("SELECT user, host FROM mysql.user WHERE user = '<account>'"),
      sql("SHOW GRANTS FOR '<account>'@'%'"),
    ],
    act: [
      'If the password on the source is the wrong one, set it there:',
      sql("ALTER USER '<account>'@'%' IDENTIFIED BY '<password>'"),
      'If the replica has the wrong one, give it the right one:',
      mariadb("STOP SLAVE; CHANGE MASTER TO MASTER_USER='<account>', MASTER_PASSWORD='<password>'; START SLAVE"),
      mysql(
        "STOP REPLICA; CHANGE REPLICATION SOURCE TO SOURCE_USER='<account>', SOURCE_PASSWORD='<password>'; START REPLICA",
      ),
      'To change passwords everywhere without an interruption, use the rotation of the manager:',
      cli('password rotate --plan'),
    ],
    avoid: ['Do not reset the replica: its position is right, only the login is refused.'],
  },
  WARN0261: {
    means:
      'The manager tries the login of the replication account on each server that others may have to replicate from. Here it failed in a way that says nothing of replicas: the account requires TLS or a certificate that the manager does not have, or the server refused for another reason. What cannot be judged is no yes: a switchover to this server is refused, the manager moves no running replica to it, and a failover goes on and reports it.',
    causes: [
      'The account has REQUIRE X509 or REQUIRE SUBJECT, and no replica runs that shows a certificate to an equal account.',
      'The account has REQUIRE SSL, and the manager connects without TLS.',
      'The account differs between this server and the source of the replicas that run.',
      'The server is in offline mode, or refuses logins for another reason of its own.',
    ],
    check: [
      'What the account requires, on this server and on the primary:',
      sql("SELECT Host, ssl_type, x509_issuer, x509_subject FROM mysql.user WHERE User = '<account>'"),
      'With which files the replicas run (Master_SSL_Cert, Source_SSL_Cert):',
      sql('SHOW REPLICA STATUS'),
    ],
    act: [
      'Name the files of the replicas, on the hosts of the databases:',
      cli('setting set replication-ssl-cert <path>'),
      cli('setting set replication-ssl-key <path>'),
      'Or give the manager a certificate that the account accepts:',
      cli('setting set db-servers-tls-client-cert <path>'),
      'Where it is known to work all the same:',
      cli('setting set switchover-unjudged-login true'),
    ],
    avoid: ['Do not take the requirement off the account for good: replicas would log in without a certificate.'],
  },
  ERR00196: {
    means:
      'A replica connects to its source with TLS, and that fails: a file of its settings cannot be read on its host or does not fit (error 2026), or its source does not accept its certificate (error 2026, or with TLS 1.3 error 2013, since the source closes the connection after the handshake). It does not replicate; or the latest operation was to give it the files that the settings name, which failed so, and it replicates with those that it had before. The manager cannot read files on hosts of databases: it learns this when a replica connects.',
    causes: [
      'The settings replication-ssl-ca, replication-ssl-cert or replication-ssl-key name a file that is not on this host.',
      'The account of the database may not read the file, or its directory.',
      'The key belongs to another certificate.',
      'The CA file is not that of the certificate of the source.',
      'The certificate is of another CA than the ssl_ca of the source.',
    ],
    check: [
      'The files that the replica uses:',
      sql('SHOW REPLICA STATUS'),
      'On its host, as the account of the database:',
      shell('openssl x509 -in <file> -noout -subject -dates'),
    ],
    act: [
      'Put the file there, or correct the setting:',
      cli('setting set replication-ssl-cert <path>'),
      'A replica that does not replicate connects automatically when the file is there. One that has to get another path gets it when the setting names it. With another source at once:',
      cli('relocate <server> --to <source>'),
    ],
    avoid: [
      'Do not switch the role until the finding is closed: each server that gets another source needs these files.',
    ],
  },
  ERR00160: {
    means:
      'The replication account cannot log in on a server that others may have to replicate from. Replication runs now; after a failover to this server the others could not follow it.',
    causes: [
      'The account has another password on this server, as after a change with binary logging disabled.',
      'The account requires a client certificate or TLS that replicas do not use.',
      'replication-credential was changed in the settings and not in the databases.',
    ],
    check: [
      'The refusal and the statement that corrects it are in the detail. By hand, from the host of a replica:',
      shell('mariadb --host=<server> --user=<account> --password'),
    ],
    act: [
      'Run the statement of the detail on the primary; it replicates. Or correct the setting:',
      cli('setting set replication-credential <account>:<password>'),
    ],
    avoid: ['Do not wait for the next failover to see whether it matters: it is then that it stops replication.'],
  },
  ERR00161: {
    means:
      'A replica has had no connection to its source for longer than replication-source-timeout, while the source answers the manager. What it shows gets older, it is not read from, and a failover to it would lose what it has not received.',
    causes: [
      'A firewall or a route between the two hosts; the path from the manager is another one.',
      'The login is refused (ERR00088), or TLS fails: the certificate expired or its authority is unknown.',
      'The source has reached its connection limit.',
      'The replica names its source by an address that only the manager can reach.',
    ],
    check: [
      ...channels,
      'From the host of the replica, the port of the source:',
      shell('nc -vz <source> 3306'),
      'If the error names TLS, what certificate the source shows:',
      shell('openssl s_client -connect <source>:3306 -starttls mysql'),
    ],
    act: [
      'Restore the connection; replication continues without further action, and the finding closes.',
      'If the receiver has given up, start it again:',
      cli('server start-slave <server>'),
    ],
    avoid: [
      'Do not shorten the time that the source keeps its binary logs meanwhile: the replica needs them to continue.',
    ],
  },
  ERR00119: {
    means:
      'Files that the settings db-servers-tls-… name cannot be read or used. If there was never a usable set, no database of the cluster is probed; otherwise sessions continue with what was read before.',
    causes: [
      'A certificate was renewed into another path, or its permissions keep the manager from reading it.',
      'Key and certificate do not belong together, as in the middle of a renewal.',
      'The file is empty or not PEM.',
    ],
    check: [
      'The file and the reason are in the detail. On the host of the manager:',
      shell('ls -l <file>'),
      shell('openssl x509 -in <certificate> -noout -subject -dates'),
      'Key and certificate belong together if both lines are equal:',
      shell('openssl x509 -in <certificate> -noout -pubkey'),
      shell('openssl pkey -in <key> -pubout'),
    ],
    act: ['Correct the file, or the setting that names it, then have the files read again:', cli('certificate reload')],
    avoid: [
      'Do not remove the settings to silence it: the manager would connect without TLS, or be refused by accounts that require it.',
    ],
  },
  WARN0100: {
    means:
      'A disk of the server is full. Writes wait for free space (they do not fail), sessions pile up, and temporary tables cannot be written. On the primary this is an outage of writes although the server answers.',
    causes: [
      'Binary logs kept for too long, or a replica away for which they are kept.',
      'A large transaction, ALTER TABLE or temporary table.',
      'Backups, dumps or core files on the same volume.',
      'Undo or relay logs of a replica that is stopped.',
    ],
    check: [
      'On its host, which volume is full and what takes the space:',
      shell('df -h'),
      shell('du -xh --max-depth=2 /var/lib/mysql | sort -h | tail -20'),
      'The binary logs with their sizes, and for how long they are kept:',
      sql('SHOW BINARY LOGS'),
      mariadb("SHOW GLOBAL VARIABLES LIKE 'expire_logs_days'"),
      sql("SHOW GLOBAL VARIABLES LIKE 'binlog_expire_logs_seconds'"),
      'What waits:',
      cli('server processlist <server>'),
    ],
    act: [
      'Free space that is not the data of the server: dumps, core files, old packages. Writes continue within seconds.',
      'Delete binary logs that every replica has received (compare with its position first):',
      cli('cluster slaves'),
      sql("PURGE BINARY LOGS TO '<file>'"),
      'If it is the primary and space cannot be freed at once, move the role away. Where only temporary files or tables are on the full disk, the writes that wait there are ended:',
      cli('switchover --plan'),
      cli('switchover'),
      'Where the binary log is on the full disk, the switchover is refused while commits wait: a commit that is ended there has its GTID already, which no replica can ever get. Free some space first: the commits continue (MariaDB tries again once a minute), then switch over. Where a single session commits, the manager cannot tell such a commit from another write: the switchover begins, and is undone.',
      'Then enlarge the volume.',
    ],
    avoid: [
      'Do not delete files of the data folder by hand (ibdata, ib_logfile, undo, binary logs): the server does not start again.',
      'Do not kill the server: its recovery needs space as well.',
    ],
  },
  WARN0324: {
    means:
      'Someone asked for something of a server that is not there to be read: a log, a plug-in table, a figure. The answer was empty for that reason, not because there is nothing to report. Monitoring is not concerned.',
    causes: [
      'The plug-in that the detail names is not installed, or the performance schema is off.',
      'The log is a file on another host, and the manager has no way to it.',
      'The slow log is disabled or written elsewhere.',
    ],
    check: [
      'What is installed:',
      sql("SELECT plugin_name, plugin_status FROM information_schema.plugins WHERE plugin_status = 'ACTIVE'"),
      sql("SHOW GLOBAL VARIABLES LIKE 'performance_schema'"),
      sql("SHOW GLOBAL VARIABLES LIKE 'slow_query_log%'"),
    ],
    act: [
      'Enable what the detail names; for example the slow log and its table:',
      cli('server set-slow-query <server> on --plan'),
      cli('server set-slow-query-table <server> on --plan'),
      'For log files of another host, configure onpremise-ssh. The finding closes with the next read that succeeds.',
    ],
    avoid: ['Do not take the empty answer for a healthy one.'],
  },
} as const satisfies Partial<Record<FindingCode, Page>>
