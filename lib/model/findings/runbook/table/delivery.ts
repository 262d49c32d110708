// Pages of findings about certificates, archives, files of the manager, and rolling operations.
import type { FindingCode } from '../../../findings.js'
import { cli, type Page, type Step, shell } from '../kit/page.js'
import { overview } from '../kit/steps.js'

const certificates: readonly Step[] = [
  'The certificates of the cluster with their dates:',
  cli('certificate list'),
  'On the host of a server, the one that it shows:',
  shell('openssl s_client -connect <server>:3306 -starttls mysql'),
]

const rotate: readonly Step[] = [
  'Let the manager create new ones (old and new authority are trusted meanwhile), then restart one server after the other:',
  cli('certificate rotate'),
  cli('rolling restart'),
  'Or replace the files that db-servers-tls-server-cert and the others name, then:',
  cli('certificate reload'),
]

export const deliveryPages = {
  ERR00131: {
    means:
      'The TLS certificates of the cluster have expired. New connections that verify them fail: replicas that reconnect, clients, the manager. Open connections continue, so the outage comes with the next restart or network fault.',
    causes: ['Nobody rotated them; WARN0311 was open for weeks.', 'The files of your own authority were not renewed.'],
    check: [...certificates, 'On each host, whether the clock is right:', shell('date -u')],
    act: rotate,
    avoid: [
      'Do not restart all servers at once: replicas that cannot connect again are no candidates.',
      'Do not disable verification as a repair.',
    ],
  },
  WARN0311: {
    means: 'The TLS certificates of the cluster expire soon. Nothing is broken yet.',
    causes: ['Normal at the end of their lifetime.'],
    check: certificates,
    act: rotate,
    avoid: ['Do not wait for the day: after it, servers that restart do not come back as replicas (ERR00131).'],
  },
  WARN0313: {
    means:
      'A rotation of certificates is half done: servers trust the old authority besides the new one. Who has a key of the old one can still connect.',
    causes: ['The rotation waits for servers to restart with their new certificate.'],
    check: [...certificates, 'Which servers still need a restart:', cli('need rolling-restart')],
    act: [
      'Restart those servers, then retire the old authority:',
      cli('rolling restart'),
      cli('certificate rotate --step retire'),
    ],
    avoid: ['Do not retire it while a server uses its old certificate: replicas could not verify it.'],
  },
  WARN0301: {
    means:
      'A file of the cluster in the working directory of the manager is damaged. The last valid copy is in use; what was recorded after it is lost, such as a failover of the last seconds.',
    causes: ['A full disk, a crash of the host, a fault of the disk.', 'Someone edited the file.'],
    check: [
      shell('df -h /var/lib/manager'),
      shell('dmesg --level=err,crit | tail'),
      'Whether the manager knows the topology as it is:',
      ...overview,
    ],
    act: [
      'Free space or replace the disk. Compare the failover settings and the primary with what you expect; correct what differs. The finding ends with the next start of the manager.',
    ],
    avoid: ['Do not delete the folder of the cluster: the history that makes a failover safe is in it.'],
  },
  WARN0310: {
    means:
      'Anyone who reaches the API can download the configuration archives of servers, with the private keys of their certificates.',
    causes: ['api-credentials-secure-config is off, and neither addresses nor tokens restrict the downloads.'],
    check: [
      'Who downloaded is in security.log of the working directory:',
      shell('grep config /var/lib/manager/security.log | tail'),
    ],
    act: [
      'Require a login:',
      cli('setting switch api-credentials-secure-config on'),
      'Or allow the hosts of the servers only, by address or by a token that is valid once:',
      cli('setting set api-config-download-addresses <address,address>'),
      cli('setting switch api-config-download-tokens on'),
      'If strangers downloaded an archive, rotate the certificates:',
      cli('certificate rotate'),
    ],
    avoid: [
      'Do not restrict it while hosts fetch their configuration at start without a token: they would start with the old one.',
    ],
  },
  WARN0312: {
    means:
      'The configuration archives of some servers could not be built. Hosts get the previous ones; servers that start run with the old configuration.',
    causes: [
      'A tag or value that the rules refuse.',
      'A certificate file that cannot be read.',
      'A full disk of the manager.',
    ],
    check: ['The cause for each is in the detail.', shell('df -h /var/lib/manager'), 'The tags in use:', cli('tags')],
    act: ['Remove the cause, then build them again:', cli('cluster regenerate-configs')],
    avoid: ['Do not reprovision servers while it is open: they get the previous configuration.'],
  },
  WARN0390: {
    means: 'The primary role will move at the time in the detail: a person asked for it. Clients reconnect then.',
    causes: ['A person, or a program with their account, scheduled a switchover.'],
    check: [
      'When, to which server, and its plan as it is now:',
      cli('switchover --scheduled'),
      cli('switchover --plan'),
    ],
    act: ['Nothing, if it is wanted. To take it back:', cli('switchover --cancel')],
    avoid: ['Do not start long statements on the primary shortly before: they delay it, or make it refuse.'],
  },
  WARN0391: {
    means:
      'A switchover that was scheduled failed, or was refused until its time was over. The primary role did not move.',
    causes: [
      'A rule refused it: a replica that lags, long writes, an open operation.',
      'The manager did not run at its time.',
    ],
    check: ['Why, and what the plan says now:', cli('switchover --scheduled'), cli('switchover --plan')],
    act: ['Remove the cause, then schedule it again, or dismiss it:', cli('switchover --cancel')],
    avoid: ['Do not take it for done: check which server is the primary.'],
  },
  WARN0392: {
    means:
      'A user asked for work that begins later or lasts in steps, and lost the permission for it: the user was dropped, a grant was taken away, or the API token was revoked or expired. The manager ended the work at a safe place.',
    causes: [
      'Intended: the user was removed so that its work ends.',
      'A scheduled switchover or a rolling operation was asked for by the account of a program that was replaced since.',
    ],
    check: [
      'Which work, by whom, and what is missing, is in the detail. What the cluster does now:',
      cli('switchover --scheduled'),
      cli('job list'),
      ...overview,
    ],
    act: [
      'Nothing, if it is intended. Else a user with the grant asks for the work again, as for the first time; servers that had their turn are done.',
    ],
    avoid: ['Do not give the grant back only to close the finding: it closes after a day.'],
  },
  WARN0320: {
    means:
      'A rolling restart, reprovision or optimize stopped before its end. The cluster serves clients; some servers were done and others not.',
    causes: [
      'A server did not come back, or did not catch up within monitoring-wait-retry passes.',
      'A switchover in between was refused.',
      'A finding opened that makes it unsafe to go on.',
    ],
    check: ['Where it stopped and why:', cli('rolling status'), cli('cluster rolling-state'), ...overview],
    act: [
      'Restore the server that the detail names, then start it again, from the first server on:',
      cli('rolling restart'),
      'Or dismiss it, which closes the finding:',
      cli('rolling cancel'),
    ],
    avoid: ['Do not restart the remaining servers by hand at once: keep one replica in service.'],
  },
} as const satisfies Partial<Record<FindingCode, Page>>
