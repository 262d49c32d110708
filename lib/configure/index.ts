// The face of the configurator: rules, tags and resources become the tree of files of a server. Pure.
export { checkRules, faultText, type RuleFile } from './check.js'
export { renderTagsDocument, renderVariablesDocument } from './document.js'
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
  explainTag,
  optionsOf,
  renderTagChange,
  type Subject,
  type TagChange,
} from './explain.js'
export { GENERATED_MARKER } from './fragment.js'
export type { Software } from './gates.js'
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
  placePaths,
  serverFolder,
} from './paths.js'
export { proxyTags } from './proxy-tags.js'
export { type ConfigureSettings, configureSettingNames, type Resources, readConfigureSettings } from './resources.js'
export type { Fault, Rule, RuleSet } from './rules.js'
export { type Selection, selectRules } from './select.js'
export { addTag, choosableTags, contradicting, dropTag, type TagAddition, type TagSet } from './tags.js'
export { completeTree, type FileTree, type TreeEntry } from './tree.js'
