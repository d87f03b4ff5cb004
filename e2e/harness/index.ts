export { eventually } from './eventually.ts';
export { freePort } from './free-port.ts';
export { type InstallationPlan, writeInstallation } from './installation.ts';
export { connectToEmbedded } from './postgres.ts';
export { descendantsOf } from './process-tree.ts';
export { between, type Random, seededRandom } from './seeded-random.ts';
export { isReady, type Service, type ServiceOptions, startService } from './service.ts';
export { temporaryHome, type TemporaryHome } from './temporary-home.ts';
export { type ReceivedAction, startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';
