// YAML output, in a file of its own so that it is loaded when needed and keeps its names in a bundle.
export { stringify } from 'yaml'
