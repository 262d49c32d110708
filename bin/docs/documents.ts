// The documents under share/doc that are printed, each with its printer.
import { readRules } from '../../actors/archive/read-rules.js'
import { printAcl, printOpenApi, printReference, routes } from '../../http/api/index.js'
import { sharePath } from '../../lib/base/package-root.js'
import { unwrap } from '../../lib/base/result.js'
import { renderProxyTags, renderTagsDocument, renderVariablesDocument } from '../../lib/configure/index.js'
import { printFindings, printStates } from '../../lib/model/print.js'
import { printSettings } from '../../lib/settings/index.js'
import { renderCliDocument } from '../cli/document.js'
import { createProgram } from '../cli/program.js'
import { printAccounts } from './accounts.js'
import { printFailures } from './failures.js'
import { printHostScripts } from './host-scripts.js'
import { printManuals } from './manuals.js'
import { printNeeds } from './needs.js'

export const documents: Readonly<Record<string, () => string | Promise<string>>> = {
  'settings.md': printSettings,
  'api.md': () => printReference(routes),
  'openapi.json': () => printOpenApi(routes),
  'acl.md': () => printAcl(routes),
  'cli.md': () => renderCliDocument(createProgram(routes)),
  'accounts.md': printAccounts,
  'findings.md': printFindings,
  'failures.md': printFailures,
  'states.md': printStates,
  'needs.md': printNeeds,
  'scripts.md': printHostScripts,
  'tags.md': printTags,
  'proxy-tags.md': async () => renderProxyTags(unwrap(await readRules(sharePath('rules', 'proxy'), 'proxy')).set),
  'variables.md': renderVariablesDocument,
}

/** The pages of share/man by their names. */
export const manuals = (): Readonly<Record<string, string>> => printManuals(createProgram(routes))

async function printTags(): Promise<string> {
  const rules = unwrap(await readRules(sharePath('rules', 'database')))
  return renderTagsDocument(rules.set)
}
