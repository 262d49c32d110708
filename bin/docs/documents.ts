// The documents that are printed from tables, each with its printer: those kept in share/doc, and those the build makes.
import { readRules } from '../../actors/archive/read-rules.js'
import { printAcl, printInertFields, printOpenApi, printReference, routes } from '../../http/api/index.js'
import { sharePath } from '../../lib/base/package-root.js'
import { unwrap } from '../../lib/base/result.js'
import { renderProxyTags, renderTagsDocument, renderVariablesDocument } from '../../lib/configure/index.js'
import { printRunbooks } from '../../lib/model/findings/runbook/markdown.js'
import { printFindings, printStates } from '../../lib/model/print.js'
import { printSettings } from '../../lib/settings/index.js'
import { renderCliDocument } from '../cli/document.js'
import { createProgram } from '../cli/program.js'
import { rowCommands } from '../cli/row/row-commands.js'
import { printAccounts } from './accounts.js'
import { printChanges } from './changes.js'
import { printFailures } from './failures.js'
import { printFleet } from './fleet.js'
import { printHealth } from './health.js'
import { printHostScripts } from './host-scripts.js'
import { printImports } from './imports.js'
import { printLogCodes } from './log-codes.js'
import { printManuals } from './manuals.js'
import { printNeeds } from './needs.js'
import { printScreens } from './screens.js'
import { printThreats } from './threats.js'

type Printers = Readonly<Record<string, () => string | Promise<string>>>

/** Short reference pages, kept in share/doc; specs compare them. */
export const documents: Printers = {
  'settings.md': printSettings,
  'acl.md': () => printAcl(routes),
  'cli.md': () => renderCliDocument(createProgram(rowCommands)),
  'accounts.md': printAccounts,
  'changes.md': printChanges,
  'findings.md': printFindings,
  'failures.md': printFailures,
  'log.md': printLogCodes,
  'states.md': printStates,
  'health.md': printHealth,
  'fleet.md': printFleet,
  'import.md': printImports,
  'inert-fields.md': printInertFields,
  'needs.md': printNeeds,
  'scripts.md': printHostScripts,
  'screens.md': printScreens,
  'threats.md': printThreats,
  'proxy-tags.md': async () => renderProxyTags(unwrap(await readRules(sharePath('rules', 'proxy'), 'proxy')).set),
}

/** Long references, made by the build in dist/doc. */
export const builtDocuments: Printers = {
  'api.md': () => printReference(routes),
  'openapi.json': () => printOpenApi(routes),
  'runbooks.md': printRunbooks,
  'tags.md': printTags,
  'variables.md': renderVariablesDocument,
}

/** The pages of the manual by their file names, made by the build in dist/man. */
export const manuals = (): Readonly<Record<string, string>> => printManuals(createProgram(rowCommands))

async function printTags(): Promise<string> {
  const rules = unwrap(await readRules(sharePath('rules', 'database')))
  return renderTagsDocument(rules.set)
}
