// What to do about a failure, in the words of the page: the manager's own hints name addresses of its API and commands of its client.

/** By the code of a failure. A code that is not listed has the manager's hint, unless that names what no page has. */
const hints: Readonly<Record<string, string>> = {
  'unknown-cluster': 'The fleet lists the clusters.',
  'unknown-server': 'The overview of the cluster lists its servers.',
  'unknown-proxy': 'The page Proxies lists them.',
  'unknown-variable': 'The configuration of the server lists its differences.',
  'unknown-tag': 'The configuration of the cluster lists the tags.',
  'tag-conflict': 'Remove the other tag first.',
  'wrong-scope': 'It is set on the page of the manager, or on that of a cluster.',
  'bad-request': 'Correct the field that the message names.',
  'not-logged-in': 'Log in again.',
  'operation-running': 'Wait for it to end; the overview of the cluster shows it.',
  'no-candidate': 'The overview of the cluster says why for each server.',
  vetoed: 'The overview of the cluster names the rule and what it rests on.',
  'step-failed': 'Fix the cause that the message gives; the timeline shows which steps were done.',
  'nothing-runs': 'The page of the server lists its sessions.',
  'unknown-token': 'The page Your access lists your tokens.',
  'unknown-user': 'The page Users of the cluster lists them.',
  'no-statement': 'Choose one of the months that are listed.',
  'unknown-runbook': 'The page Findings leads to those of the findings that are open.',
  'unknown-account': 'Register first, on the page of the registration.',
  'already-registered': 'Choose another name, or confirm what is pending.',
  'self-service-refused': 'The message says which check refuses it.',
  'unknown-alert': 'The page Alerts lists those that are open.',
  'unknown-silence': 'The page Alerts lists the silences.',
  'backup-failed': 'The job has the lines of its program.',
  'job-interrupted': 'The page Jobs shows whether it was begun again; else ask for it again.',
  'unknown-job': 'The page Jobs lists them.',
  'unknown-table': 'The page Checksums lists those that were compared.',
  'archive-missing': 'Rebuild the configuration archives, among the actions of the cluster.',
  'data-exists': 'The message gives the path.',
  'host-task-failed': 'The message has its last line; the log of the job has the others.',
  'no-recovery': 'The message names what is missing: choose another target or an earlier backup.',
  'unknown-commit': 'The page of the repository lists the commits.',
}

const foreign = /\b(GET|POST|PUT|DELETE)\b|\/api|\b[CS]\/|manager-cli|=true\b|\bheader\b/

/** Undefined where there is nothing that a page could say. */
export const pageHint = (code: string, hint: string | undefined): string | undefined =>
  hints[code] ?? (hint === undefined || foreign.test(hint) ? undefined : hint)
