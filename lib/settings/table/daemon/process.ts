// The manager's own process: directories, files, saving, test mode.
import { setting } from '../../kit/row.js'
import { boolean, filePath, nonEmpty, text } from '../../kit/shape.js'

export const processSettings = {
  'monitoring-datadir': setting({
    shape: filePath(nonEmpty),
    default: '/var/lib/manager',
    scope: 'server',
    apply: 'restart',
    doc: 'Working directory: saved settings, state, journals, archives. A relative path counts from where the manager was started.',
  }),
  'monitoring-confdir-extra': setting({
    shape: text(),
    default: '',
    scope: 'server',
    apply: 'restart',
    doc: 'A further directory whose *.toml files are merged, like include.',
  }),
  include: setting({
    shape: text(),
    default: '',
    scope: 'server',
    apply: 'restart',
    doc: 'Directory whose *.toml files are merged in the order of their names; [Default] only.',
  }),
  'monitoring-save-config': setting({
    shape: boolean(),
    default: true,
    scope: 'server',
    apply: 'live',
    doc: 'Keeps run-time changes of settings over a restart.',
  }),
  'monitoring-key-path': setting({
    shape: text(),
    default: '/etc/manager/.manager.key',
    scope: 'server',
    apply: 'restart',
    doc: 'Key file (mode 0600) of encrypted secrets; when it exists, saved secrets are encrypted. That of the existing system (16 bytes) opens what that system encrypted (`hash_…`), too.',
  }),
  'monitoring-cluster-files': setting({
    shape: filePath(),
    default: '',
    scope: 'server',
    apply: 'restart',
    machine: 'key',
    doc: 'Folder of scripts and certificates that a cluster may name at run time: those in its own folder below (its name) and in `shared`; empty: only the configuration files name them.',
  }),
  'monitoring-address': setting({
    shape: text(),
    default: 'localhost',
    scope: 'server',
    apply: 'live',
    doc: 'Own host name or address, passed to scripts; localhost: the address that each host sees.',
  }),
  'test-inject-traffic': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    was: ['database-heartbeat'],
    doc: 'Writes test rows on the primary, in the schema manager_traffic: four rows a second, one hundred in total.',
  }),
  verbose: setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    was: ['verbosity'],
    doc: 'Logs everything, as with log-level 4.',
  }),
  strict: setting({
    shape: boolean(),
    default: false,
    scope: 'server',
    apply: 'restart',
    doc: 'Unknown names, keys outside of a section, a file without [Default] and a missing include folder are errors, not warnings.',
  }),
}
