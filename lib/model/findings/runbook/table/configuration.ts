// Pages of findings about settings, accounts of the API, and the configuration of servers.
import type { FindingCode } from '../../../findings.js'
import { cli, type Page, type Step, shell, sql } from '../kit/page.js'

const drift: readonly Step[] = [
  'Each difference with both values, and what was decided about it:',
  cli('configuration drift <server>'),
]

const rotation: readonly Step[] = ['The rotation with its step and what it waits for:', cli('password rotation')]

export const configurationPages = {
  WARN0132: {
    means:
      'The git repository that keeps the configuration (git-url) could not be read or written. Monitoring and failover are not affected. Changes stay in the working directory and are pushed when the repository answers.',
    causes: [
      'The git host or the network to it is down.',
      'The token expired, or its account may not push.',
      'git is not installed on the host of the manager.',
    ],
    check: ['What git said is in the detail. The state, and the files that wait:', cli('repository show')],
    act: [
      'Correct the cause. A new token:',
      cli('setting set-global git-acces-token'),
      'Then push at once, or wait for the next check:',
      cli('repository push'),
    ],
    avoid: [
      'Do not remove the folder .repository of the working directory while changes of others wait: which side changed what is lost with it.',
    ],
  },
  WARN0395: {
    means:
      'A file of the configuration contains a secret that is not encrypted. Nothing is committed until that is corrected; the secret has not left the host.',
    causes: [
      'There is no key file (monitoring-key-path).',
      'A saved file is from before there was a key, or was edited by hand.',
    ],
    check: ['The files and the settings are in the detail.', cli('repository show')],
    act: [
      'Create a key where there is none, keep a copy of it in another place, and restart the manager:',
      shell('bin/manager keygen'),
      'Set the named settings again: they are saved encrypted, and pushed.',
      cli('setting set <setting> <value>'),
    ],
    avoid: ['Do not commit the key file: who has it and the repository has every secret.'],
  },
  WARN0396: {
    means:
      'The repository has a commit that the manager did not make. Its changes are compared with what runs, and wait for a decision; what runs here is not affected.',
    causes: [
      'Someone changed a file in the repository.',
      'This working directory is new to a repository that has content.',
    ],
    check: ['The commit and the settings that it changes:', cli('repository show'), cli('repository commits')],
    act: [
      'Read what it would do, with its effects on servers:',
      cli('repository apply <commit> --plan'),
      'Apply it, or reject it: the repository then has what runs here again, and its history keeps both.',
      cli('repository apply <commit>'),
      cli('repository reject <commit>'),
    ],
    avoid: ['Do not rewrite the history of the branch to withdraw a change: reject it.'],
  },
  WARN0102: {
    means:
      'A setting that the configuration file fixes was changed at run time. The change is in effect and is lost when the manager starts again.',
    causes: ['Someone changed it by API, client or dashboard in a hurry.'],
    check: [
      'The settings are in the detail. Who changed them, and when:',
      cli('setting history'),
      cli('setting history-global'),
    ],
    act: [
      'Write the value to the configuration file, or take the change back:',
      cli('setting clear <setting>'),
      cli('setting clear-global <setting>'),
    ],
    avoid: ['Do not restart the manager before it is decided: a failover mode or limit may change with it.'],
  },
  WARN0252: {
    means:
      'The manager logs in to this MySQL server without TLS, the RSA key of the server is not pinned, and the key that it shows first is not remembered (db-servers-public-key-policy is strict, or db-servers-accept-unproven-keys is set). A restarted server asks for the password itself; another machine that answers at its address could do the same with a key of its own. So the password is not sent, and the login fails until the server remembers the account from another login; or, with db-servers-accept-unproven-keys, it is sent unproven.',
    causes: ['No TLS is configured for the cluster.', 'The keys of the servers were never pinned.'],
    check: ['Whether the server has certificates:', sql("SHOW GLOBAL VARIABLES LIKE 'ssl_ca'")],
    act: [
      'Use TLS: write the authority of the servers to the configuration file (db-servers-tls-ca-cert) and reload it.',
      cli('setting reload'),
      'Or pin the keys: on each server, print its public key, collect all in one file, and name it in db-servers-public-keys.',
      shell('mysql -e "SHOW STATUS LIKE \'Caching_sha2_password_rsa_public_key\'"'),
    ],
    avoid: ['Do not copy the key over the connection that you want to protect.'],
  },
  WARN0108: {
    means:
      'The API still has the password that the product ships with. It is accepted from the host of the manager only; anyone there can change clusters.',
    causes: ['api-credentials was not set at the installation.'],
    check: [
      'Which user still has it is in the detail. Who has logged in, and from where:',
      shell('grep login /var/lib/manager/security.log | tail'),
    ],
    act: [
      'Set another one; every session of that user ends. In the configuration file, or by the client from the host of the manager:',
      cli('setting set api-credentials <user>:<password>'),
      cli('setting reload'),
    ],
    avoid: [
      'Do not write it on the command line of a shared host: set it in the configuration file, or by the variable of the setting.',
    ],
  },
  WARN0253: {
    means:
      'api-trusted-proxies holds all addresses of a family, by one range or by several together. What a client writes into X-Forwarded-For counts as its address then: the limits of wrong passwords, the log and api-config-download-addresses rely on it.',
    causes: ['A range such as 0.0.0.0/0 or ::/0 was set to make a proxy work whose address was not known.'],
    check: [
      'The families are in the detail. The ranges:',
      cli('setting list --detail'),
      'Addresses of clients as the log has them; a proxy that is in the way shows as one address:',
      shell('grep login /var/lib/manager/security.log | tail'),
    ],
    act: [
      'List the addresses of the proxies only; an empty list trusts none:',
      cli('setting set-global api-trusted-proxies <address,address>'),
    ],
    avoid: [
      'Do not rely on the network being internal: any host in it may guess passwords without a limit of its own.',
    ],
  },
  WARN0240: {
    means: 'Visitors without a password get an account that can change clusters (api-autologin, api-dashboard-user).',
    causes: ['The account of api-autologin-user has more than show grants.'],
    check: ['The account and its grants are in the detail.', cli('user list')],
    act: [
      'Disable it, or give the account show grants only:',
      cli('setting switch-global api-autologin off'),
      cli('user update <user> --grants show'),
    ],
    avoid: ['Do not rely on the network being internal.'],
  },
  WARN0177: {
    means:
      'The server runs with values that its tags do not contain. They are kept until someone decides; nothing is changed meanwhile.',
    causes: ['A value was set on the server by hand.', 'The cluster was adopted with its own option files.'],
    check: drift,
    act: [
      'Decide for each variable: accept it while the tags stay as they are, keep it always, or let the tags win at the next start:',
      cli('configuration accept <server> <variable>'),
      cli('configuration preserve <server> <variable>'),
      cli('configuration clear <server> <variable>'),
    ],
    avoid: ['Do not clear variables of memory or paths without reading them: they take effect at the next start.'],
  },
  WARN0275: {
    means:
      'A file of preserved variables sets a position of replication (gtid_slave_pos and others). It moves with every transaction: a server that starts with an old one would apply transactions again, or miss some. The line is a comment in the files that the manager generates.',
    causes: ['It was preserved as a difference, which earlier releases offered.', 'A person wrote it into the file.'],
    check: drift,
    act: [
      'Remove it from the preserved variables of the server, or of all servers:',
      cli('configuration clear <server> <variable>'),
      cli('configuration clear <server> <variable> --everywhere'),
    ],
    avoid: ['Do not copy the line into another option file of the server.'],
  },
  WARN0179: {
    means:
      'The configuration derived from the tags changed, and the server does not run with it yet. Some variables can be set now, others need a restart.',
    causes: ['Tags or resources were changed.', 'The server has not been restarted since.'],
    check: drift,
    act: [
      'Set what can be set now:',
      cli('configuration apply-dynamic --plan'),
      cli('configuration apply-dynamic'),
      'Then restart one server after the other, the primary last:',
      cli('rolling restart'),
    ],
    avoid: ['Do not restart the primary without a switchover.'],
  },
  WARN0180: {
    means:
      'The running values of a server cannot be compared with its tags. Its drift is unknown; the last known one is shown.',
    causes: [
      'A statement was refused; the detail has the error.',
      'Files of the manager cannot be read or written: permissions, a full disk.',
    ],
    check: [...drift, 'On the host of the manager:', shell('df -h /var/lib/manager'), shell('ls -ld /var/lib/manager')],
    act: ['Remove the cause in the detail; the next comparison follows without further action.'],
    avoid: ['Do not take missing drift for no drift.'],
  },
  WARN0302: {
    means:
      'Changes of settings that were saved are not in effect: a file was damaged, or a value is no longer valid. The manager runs with the values of files and defaults for these settings.',
    causes: [
      'A saved file was damaged by a full disk or a crash.',
      'A setting was renamed or its limits changed with an upgrade.',
    ],
    check: [
      'The settings and the cause are in the detail. What was set, by whom:',
      cli('setting history'),
      cli('setting history-global'),
    ],
    act: ['Set the values again, then read the files:', cli('setting set <setting> <value>'), cli('setting reload')],
    avoid: [
      'Do not assume that a failover mode or limit is as you left it: check it.',
      'Do not edit saved files while the manager runs.',
    ],
  },
  WARN0321: {
    means: 'A password rotation waits: old and new passwords are both valid. Monitoring and replication work.',
    causes: ['A server, replica or proxy that it must change is down or refuses the change.'],
    check: rotation,
    act: ['Restore what the detail names: the rotation continues automatically. Or end it:', cli('password cancel')],
    avoid: ['Do not change the passwords by hand meanwhile.', 'Do not start a second rotation.'],
  },
  WARN0322: {
    means:
      'A password rotation ended before it was complete. Some servers or proxies may have the old password and some the new one; the detail has the state.',
    causes: [
      'It was cancelled, or a server was away for too long.',
      'The account of the manager may not change accounts.',
    ],
    check: rotation,
    act: [
      'Remove the cause, then start another one; it reverts what this one left:',
      cli('password rotate --plan'),
      cli('password rotate'),
    ],
    avoid: ['Do not correct single servers by hand: the next rotation does that for all.'],
  },
  WARN0323: {
    means:
      'The configuration file still has the password that a rotation replaced. The saved new one is in effect; another value in the file would take precedence and lock the manager out.',
    causes: ['The file is managed by other means, and the rotation does not write it.'],
    check: ['The places are in the detail.', ...rotation],
    act: ['Remove the password from the file, or write one that the servers accept; then:', cli('setting reload')],
    avoid: ['Do not restore the file from a backup with an older password.'],
  },
  WARN0420: {
    means:
      'The file of hosted-license-file gives no plan, so the plan of this manager is free: alerts are not forwarded to the hosted service. Monitoring, failover and all other alerts continue as before.',
    causes: [
      'The license names another manager: hosted-domain, hosted-sub-domain and hosted-sub-domain-zone differ from it.',
      'The license was edited or converted after it was signed, or license.sig belongs to another one.',
      'One of the two files is missing, or the manager may not read it.',
      'The package contains no signing key (share/hosted/license.pub), or that of another service.',
    ],
    check: [
      'The detail names the file and what is wrong with it. The name of this manager:',
      cli('setting list-global'),
      'The license, judged as the manager does:',
      shell('manager-license verify --key /usr/lib/manager/share/hosted/license.pub --uri <uri> <license.json>'),
    ],
    act: [
      'Put license.json and license.sig of this manager where hosted-license-file names them, byte for byte; they are read again within a minute.',
      'Without a license, clear the setting: the plan then is that of the subscription.',
      cli('setting clear-global hosted-license-file'),
    ],
    avoid: ['Do not change license.json to fit this manager: every change ends its signature.'],
  },
} as const satisfies Partial<Record<FindingCode, Page>>
