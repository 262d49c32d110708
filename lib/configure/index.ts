// The exports of the configurator: rules, tags and resources become the tree of files of a server. Pure.

export { type Discovery, discoverTags, type Proposal, type SeenServer } from './discovery/discover.js'
export { memoryFor, type ProposedSetting } from './discovery/resources.js'
export { contractSigns, evidenceOf, furtherSigns, type Sign, signs, signText } from './discovery/table.js'
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
export { agreedValues, editOverlay, renderAgreed, renderDelta } from './drift/files.js'
export { type Found, findValues, stillFound, withFound } from './drift/found.js'
export { optionName, parseOptions, positionsIn, withoutPositions } from './drift/option-file.js'
export { type ProtectedClass, protectedClass } from './drift/protected.js'
export { isCompared, type Options, runsOnGenerated, sameValue, shownValue, splitName } from './drift/values.js'
export {
  type Assignment,
  type DynamicPlan,
  type Gap,
  gapsOf,
  type HeldGap,
  isIdentity,
  planDynamic,
  tagAssignments,
} from './dynamic.js'
export { renderProxyTags, renderTagsDocument, renderVariablesDocument } from './explain/document.js'
export {
  compareTags,
  type Difference,
  expectedOptions,
  explainTag,
  optionsOf,
  renderTagChange,
  type Subject,
  type TagChange,
} from './explain/explain.js'
export { compareProxyTags, explainProxyTag } from './explain/explain-proxy.js'
export { type ProxySoftware, proxySoftware, type Software, softwareOfImage } from './facts/gates.js'
export { type MemoryPlan, solveMemory } from './facts/memory.js'
export {
  type ConfiguredServer,
  choosePathContext,
  type PathContext,
  type Paths,
  type ProxyPaths,
  placePaths,
  placeProxyPaths,
  serverFolder,
} from './facts/paths.js'
export type { ConfiguredProxy, ProxyFacts } from './facts/proxy-facts.js'
export {
  type ConfigureSettings,
  configureSettingNames,
  type Resources,
  readConfigureSettings,
} from './facts/resources.js'
export { type Prospect, switchoverHazards } from './hazards.js'
export { evaluateProxy, holdsSecrets, type ProxyInput } from './proxy/proxy.js'
export { type CheckOptions, checkRules, faultText, type RuleFile } from './rules/check.js'
export { findOption, type Known, type KnownOption, type KnownServer, nothingKnown, parseKnown } from './rules/known.js'
export type { Fault, Rule, RuleKind, RuleSet } from './rules/rules.js'
export { type Selection, selectRules } from './rules/select.js'
export { addTag, choosableTags, contradicting, dropTag, type TagAddition, type TagSet } from './rules/tags.js'
export {
  evaluateRules,
  overlayEntries,
  prepareTemplate,
  type ServerInput,
  type Template,
  type TemplateInput,
  tlsEntries,
} from './tree/evaluate.js'
export { GENERATED_MARKER } from './tree/fragment.js'
export { type Direction, renderStatements } from './tree/live.js'
export {
  checkOverlay,
  emptyOverlay,
  mergePreserved,
  type OverlayName,
  type Overlays,
  overlayFile,
  overlayNames,
  PRESERVED_BY_CLUSTER,
} from './tree/overlays.js'
export { completeTree, type FileTree, type TreeEntry } from './tree/tree.js'
