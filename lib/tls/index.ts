// The public interface of the room: certificates created, stored, rotated and checked.
export { type CertificateFacts, certificateFacts } from './facts.js'
export { deliveredFiles, materialFiles, readMaterial, writeMaterial } from './folder.js'
export { issuePair } from './issue.js'
export {
  expiryOf,
  extendMaterial,
  type Holder,
  isRotating,
  judgeMaterial,
  type Material,
  makeMaterial,
  missingHosts,
  retireMaterial,
  rotateMaterial,
  splitPem,
} from './material.js'
export { judgeCertificate, judgePair, type KeyPair } from './pair.js'
