// The cluster's samples as a frame: not for the wire, the gateway stitches the frames of all clusters.
import { renderSamples } from '../../../../lib/metrics/samples.js'
import type { ViewInput } from '../kit/input.js'

export const renderMetrics = ({ snapshot, memory, figures, proxies }: ViewInput): Uint8Array =>
  renderSamples({ snapshot, memory, proxies, ...(figures ? { figures } : {}) })
