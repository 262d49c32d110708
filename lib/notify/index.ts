// Notifications: what is sent out when the state of a cluster changes.

export { type CarbonAddress, type CarbonSender, type CarbonSenderOptions, openCarbonSender } from './carbon-sender.js'
export { type Mail, type MailSettings, sendMail } from './mail.js'
export { createScriptQueue, type ScriptCall, type ScriptQueue, type ScriptQueueOptions } from './script-queue.js'
export {
  changeCall,
  findingCall,
  type LongNotice,
  longCall,
  proxyCall,
  replicationErrorCall,
  serverCall,
} from './scripts.js'
