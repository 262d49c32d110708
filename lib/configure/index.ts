// The face of the configurator: rules, tags and resources become the tree of files of a server. Pure.
export { type CheckOptions, checkRules, faultText, type RuleFile } from './check.js'
export { type Discovery, discoverTags, type Proposal, type SeenServer } from './discovery/discover.js'
export { memoryFor, type ProposedSetting } from './discovery/resources.js'
export { contractSigns, evidenceOf, furtherSigns, type Sign, signs, signText } from './discovery/table.js'
export { renderProxyTags, renderTagsDocument, renderVariablesDocument } from './document.js'
export {
  type Decision,
  type Difference as DriftDifference,
  type DriftRecord,
  type DriftState,
  decideDrift,
  judgeDrift,
  noDrift,
  settleRecord,
} from './drift/drift.js'
export { editOverlay, renderAgreed, renderDelta } from './drift/files.js'
export { optionName, parseOptions } from './drift/option-file.js'
export { isCompared, type Options, runsOnGenerated, sameValue, shownValue, splitName } from './drift/values.js'
export { type DynamicPlan, type Gap, gapsOf, planDynamic, tagStatements } from './dynamic.js'
export {
  evaluateRules,
  overlayEntries,
  prepareTemplate,
  type ServerInput,
  type Template,
  type TemplateInput,
  tlsEntries,
} from './evaluate.js'
export {
  compareTags,
  type Difference,
  expectedOptions,
  explainTag,
  optionsOf,
  renderTagChange,
  type Subject,
  type TagChange,
} from './explain.js'
export { compareProxyTags, explainProxyTag } from './explain-proxy.js'
export { GENERATED_MARKER } from './fragment.js'
export { type ProxySoftware, proxySoftware, type Software, softwareOfImage } from './gates.js'
export { findOption, type Known, type KnownOption, type KnownServer, nothingKnown, parseKnown } from './known.js'
export { type Direction, renderStatements } from './live.js'
export { type MemoryPlan, solveMemory } from './memory.js'
export {
  checkOverlay,
  emptyOverlay,
  mergePreserved,
  type OverlayName,
  type Overlays,
  overlayFile,
  overlayNames,
  PRESERVED_BY_CLUSTER,
} from './overlays.js'
export {
  type ConfiguredServer,
  choosePathContext,
  type PathContext,
  type Paths,
  type ProxyPaths,
  placePaths,
  placeProxyPaths,
  serverFolder,
} from './paths.js'
export { evaluateProxy, holdsSecrets, type ProxyInput } from './proxy.js'
export type { ConfiguredProxy, ProxyFacts } from './proxy-facts.js'
export { type ConfigureSettings, configureSettingNames, type Resources, readConfigureSettings } from './resources.js'
export type { Fault, Rule, RuleKind, RuleSet } from './rules.js'
export { type Selection, selectRules } from './select.js'
export { addTag, choosableTags, contradicting, dropTag, type TagAddition, type TagSet } from './tags.js'
export { completeTree, type FileTree, type TreeEntry } from './tree.js'
