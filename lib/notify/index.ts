// Notifications: what is sent out when the state of a cluster changes. `alert` decides what to send, `channel` sends it.

export {
  acknowledge,
  type Book,
  type EndedOperation,
  emptyBook,
  forgetStory,
  noteBegin,
  noteConditions,
  noteEnd,
  noteLine,
  noteLoss,
  noteRestart,
  noteState,
} from './alert/book.js'
export { addReport, CHECK_MS, emptyReceiver, isWaiting, type Receiver, takeMessages } from './alert/gather.js'
export { joinMessages } from './alert/join.js'
export { type RenderFacts, renderMessage, renderTest } from './alert/render.js'
export { judgeBook, type Report } from './alert/report.js'
export { blackoutUntil, findSilence, isTriggered } from './alert/rules.js'
export { type CarbonAddress, type CarbonSender, type CarbonSenderOptions, openCarbonSender } from './carbon-sender.js'
export type { Channel } from './channel/channel.js'
export { channelList, channels, hasReceiver, isGathered } from './channel/channels.js'
export { closeMail, type Mail, type MailSettings, sendMail } from './channel/mail.js'
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
