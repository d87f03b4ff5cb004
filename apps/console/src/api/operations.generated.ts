/* Written from docs/reference/openapi-management.json by `npm run generate -w @ringfence/console`. */

export type AcceptedInvitation = { email: string };
export type AcceptedOutcome = { id: string; status: "accepted" };
export type Account = { id: string; email: string; name: string; language: string; roles: readonly (RolesInWorkspace)[]; secondFactor: boolean; password: boolean; issuer?: string; createdAt: string; disabledAt?: string };
export type AccountDetail = { id: string; email: string; name: string; language: string; roles: readonly (RolesInWorkspace)[]; secondFactor: boolean; password: boolean; issuer?: string; createdAt: string; disabledAt?: string; sessions: readonly (ConsoleSession)[] };
export type AccountMakers = { account: string; madeBy: string; madeAt: string; linkBy?: string; linkAt?: string };
export type Action = { id: string; event: string; reason: number; action: number; state: "waiting" | "due" | "leased" | "executed" | "notExecuted" | "dead" | "expired" | "capped" | "dropped" | "observed" | "notAddressable" | "erased"; channelId: number; client?: string; session?: string; message?: string; erased?: boolean; format: "text" | "html"; attempts: number; decidedAt: string; expiresAt: string; dueAt?: string; finishedAt?: string };
export type ActionDetail = { id: string; event: string; reason: number; action: number; state: "waiting" | "due" | "leased" | "executed" | "notExecuted" | "dead" | "expired" | "capped" | "dropped" | "observed" | "notAddressable" | "erased"; channelId: number; client?: string; session?: string; message?: string; erased?: boolean; format: "text" | "html"; attempts: number; decidedAt: string; expiresAt: string; dueAt?: string; finishedAt?: string; history: readonly (Attempt)[] };
export type ActionOutcome = { action: number; name?: string; count: number; capped: number };
export type AgreedEvents = { events: number; frauds: number };
export type Agreement = { alertsADay: number; both: AgreedEvents; championOnly: AgreedEvents; challengerOnly: AgreedEvents };
export type Alert = { id: string; state: "open" | "closed"; risk: number; amount?: string; currency?: string; decisions: number; reasons: readonly (number)[]; channels: readonly (number)[]; clientRef?: string; client?: string; event?: string; summary: readonly (AlertSummary)[]; openedAt: string; lastAt: string; dueAt?: string; claimedBy?: string; claimedUntil?: string; handedOver?: HandedOver; outcome?: "fraud" | "legitimate" | "inconclusive" | "suppressed"; fraudType?: string; loss?: string; recovered?: string; lossCurrency?: string; closedBy?: string; closedAt?: string; decidedInSeconds?: number };
export type AlertComment = { at: string; author: string; text?: string };
export type AlertDetail = { id: string; state: "open" | "closed"; risk: number; amount?: string; currency?: string; decisions: number; reasons: readonly (number)[]; channels: readonly (number)[]; clientRef?: string; client?: string; event?: string; summary: readonly (AlertSummary)[]; openedAt: string; lastAt: string; dueAt?: string; claimedBy?: string; claimedUntil?: string; handedOver?: HandedOver; outcome?: "fraud" | "legitimate" | "inconclusive" | "suppressed"; fraudType?: string; loss?: string; recovered?: string; lossCurrency?: string; closedBy?: string; closedAt?: string; decidedInSeconds?: number; events: readonly (Event)[]; comments: readonly (AlertComment)[] };
export type AlertFacts = { event: string; kind: "login" | "logout" | "operation"; at: string; channelId?: number; amount?: string; currency?: string; clientRef?: string; client?: string; sessionRef?: string; hour: number; rules: readonly (number)[]; models: readonly (AlertModel)[]; payee?: { ref: string; value?: string; earlier: number; firstAt?: string }; device?: { ref: string; value?: string; os?: string; browser?: string; earlier: number; firstAt?: string }; address?: { ref: string; value?: string; country?: string; city?: string; asn?: number; operator?: string; hosting?: boolean; anonymous?: boolean; earlier: number; firstAt?: string }; usual: UsualBehaviour; linked: readonly (LinkedClient)[]; earlier: readonly ({ id: string; state: "open" | "closed"; risk: number; reasons: readonly (number)[]; openedAt: string; outcome?: "fraud" | "legitimate" | "inconclusive" | "suppressed"; fraudType?: string })[]; earlierCounts: Readonly<Record<string, number>>; actions: readonly ({ id: string; action: number; state: "waiting" | "due" | "leased" | "executed" | "notExecuted" | "dead" | "expired" | "capped" | "dropped" | "observed" | "notAddressable" | "erased" })[]; outcomes: readonly ({ event: string; outcome: "stepUpPassed" | "stepUpFailed" | "stepUpAbandoned" | "executed" | "cancelled" | "released" | "rejected" | "unblocked" | "fraud" | "legitimate" | "chargeback" | "refund" | "retracted"; type?: string; loss?: string; recovered?: string; currency?: string; author: string; reportedAt: string })[] };
export type AlertModel = { name: string; p: number; raisedBy: readonly (InWords)[] };
export type AlertNumbers = { open: number; claimed: number; mine: number; overdue: number; oldestAt?: string; newestAt?: string; fraud: number; legitimate: number; inconclusive: number; medianSeconds?: number; p90Seconds?: number };
export type AlertSummary = { reason: number; language: string; parts: readonly (SummaryPart)[] };
export type AlertSuppression = { id: string; clientRef: string; client?: string; reason?: number; until: string; why: string; madeBy: string; madeAt: string };
export type AlertView = { id: string; name: string; filters: { state: "open" | "closed"; sort: "queue" | "risk" | "money" | "oldest" | "newest"; assigned?: string; reason?: number; channel?: number; riskMin?: number; currency?: string; amountMin?: number; olderThan?: number; due?: "over"; outcome?: "fraud" | "legitimate" | "inconclusive" | "suppressed" }; changedBy: string; changedAt: string };
export type AlertViews = { items: readonly (AlertView)[] };
export type Analyst = { email: string; name: string };
export type AppliedPolicy = { version: number; folding: boolean; changed: boolean; warnings: readonly (PolicyWarning)[] };
export type Attempt = { number: number; startedAt: string; durationMs: number; result: "executed" | "notExecuted" | "failed"; reason?: "status" | "redirect" | "answer" | "answerTooLong" | "blocked" | "insecure" | "dns" | "refused" | "tls" | "connectTimeout" | "timeout" | "reset" | "protocol" | "proxy" | "interrupted"; status?: number; address?: string; error?: string; message?: string; headers?: Readonly<Record<string, string>>; body?: string };
export type AuditEntry = { seq: number; at: string; workspace?: string; actorKind: "person" | "machine" | "nobody"; actor: string; action: string; target?: string; address: string; requestId: string; detail: Readonly<Record<string, unknown>>; hash: string };
export type AuditVerdict = { entries: number; head: string; broken?: { seq: number; what: string } };
export type Backlog = { id: string; name: string; environment: "production" | "development"; behind: number; lagMs: number; quarantined: number; paused?: string };
export type Backtest = { id: number; state: "running" | "done" | "failed" | "cancelled"; author: string; startedAt: string; endedAt?: string; policyVersion?: number; against?: number; history?: string; from?: string; to?: string; asLive?: "new" | "all"; vary?: VariedParam; done: number; total: number; error?: string };
export type BacktestChanges = { newlyFlagged: ChangedEvents; noLongerFlagged: ChangedEvents };
export type BacktestEvents = { decided: number; fraud: number; legitimate: number; repeats: number; unreadable: number; waiting: number };
export type BacktestExample = { list: "rule" | "newlyFlagged" | "noLongerFlagged"; reason?: number; event: string; kind: "login" | "logout" | "operation"; at: string; client?: string; label?: "fraud" | "legitimate"; amount?: string; currency?: string; rules: readonly (ExplainedRule)[] };
export type BacktestResult = { events: BacktestEvents; candidate: PolicyOutcome; live?: PolicyOutcome; changes?: BacktestChanges; unmatched: readonly (RuleWithoutMatch)[]; asLive?: readonly (number)[]; varied?: VariedResult; digest: string; notes: readonly (string)[] };
export type BacktestWithResult = { id: number; state: "running" | "done" | "failed" | "cancelled"; author: string; startedAt: string; endedAt?: string; policyVersion?: number; against?: number; history?: string; from?: string; to?: string; asLive?: "new" | "all"; vary?: VariedParam; done: number; total: number; error?: string; result?: BacktestResult };
export type ByAlerts = { p: number; score?: number; threshold: number; alerts: number; frauds: number; precision: number; recall: number; legitimateShare: number; alertsADay: number; precisionInterval: { low: number; high: number }; recallInterval: { low: number; high: number }; atMost: number };
export type ByLegitimate = { p: number; score?: number; threshold: number; alerts: number; frauds: number; precision: number; recall: number; legitimateShare: number; alertsADay: number; precisionInterval: { low: number; high: number }; recallInterval: { low: number; high: number }; oneIn: number };
export type CalibrationBin = { from: number; to: number; events: number; meanPredicted: number; observed: number; interval: { low: number; high: number } };
export type Changed = { changed: number };
export type ChangedAlerts = { changed: number; refused: readonly (RefusedAlert)[] };
export type ChangedEvents = { events: number; fraud: number; legitimate: number; unlabelled: number; money: readonly (MoneySums)[] };
export type Channel = { id: number; name: string; idleMinutes: number; absoluteHours: number; sessions: "required" | "optional"; device?: "token" | "none" };
export type CheckedPolicy = { warnings: readonly (PolicyWarning)[] };
export type City = { name: string; latitude: number; longitude: number };
export type ClientNote = { at: string; author: string; text: string };
export type ClientNotes = { items: readonly (ClientNote)[] };
export type ClosedAlert = { id: string; state: "open" | "closed"; risk: number; amount?: string; currency?: string; decisions: number; reasons: readonly (number)[]; channels: readonly (number)[]; clientRef?: string; client?: string; event?: string; summary: readonly (AlertSummary)[]; openedAt: string; lastAt: string; dueAt?: string; claimedBy?: string; claimedUntil?: string; handedOver?: HandedOver; outcome?: "fraud" | "legitimate" | "inconclusive" | "suppressed"; fraudType?: string; loss?: string; recovered?: string; lossCurrency?: string; closedBy?: string; closedAt?: string; decidedInSeconds?: number; openHolds: readonly (string)[] };
export type ClosedAlerts = { changed: number; refused: readonly (RefusedAlert)[]; openHolds: readonly (string)[] };
export type ComparedModel = { events: number; frauds: number; areaUnderRoc?: number; averagePrecision?: number; sha256: string; curve: readonly (ComparedPoint)[] };
export type ComparedPoint = { p: number; score?: number; threshold: number; alerts: number; frauds: number; precision: number; recall: number; legitimateShare: number };
export type ConsoleSession = { id: string; openedAt: string; seenAt: string; address: string; agent: string };
export type CountedEvents = { events: number; fraud: number; legitimate: number; unlabelled: number };
export type CountedName = { key: string; count: number };
export type DecideThenEvents = { progress: InquiryProgress; decided: DecidedThen; problem: InquiryProblem };
export type DecidedThen = { outcome: "decided" | "repeat" | "unreadable"; policyVersion: number; score: number; matched?: boolean; mismatch?: "noLogin" | "otherClient" | "otherChannel" | "closed" | "expired"; rules: readonly (FiredRule)[]; unmatched: readonly (UnmatchedRule)[]; missing: readonly (number)[]; actions: readonly (SupposedAction)[]; records: number; unreadable: number; differences: readonly (DecisionChange)[] };
export type DecisionChange = { what: string; recorded: string; replayed: string };
export type DecisionResult = { hold: string; undoUntil?: string; needsSecond?: boolean; problem?: string; detail?: string };
export type DecisionResults = { results: readonly (DecisionResult)[] };
export type DeliveryHealth = { queued: Readonly<Record<string, number>>; endpoint?: "failing" | "open" | "disabled" };
export type DeviceKey = { kty: "EC"; crv: "P-256"; x: string; y: string; kid: string; use: "enc"; alg: "ECDH-ES" };
export type DeviceKeySet = { keys: readonly (DeviceKey)[] };
export type Endpoint = { state: "closed" | "open" | "disabled"; openedAt?: string; nextProbeAt?: string; failingSince?: string; failures: number };
export type EngineHealth = { behind: number; lagMs: number; quarantined: number; newLife?: NewLife };
export type Entity = { kind: "client" | "session" | "device" | "ip" | "account" | "payee" | "reference"; ref: string; value?: string; events: number; firstAt: string; lastAt: string; blockedUntil?: string; links: readonly (EntityLink)[] };
export type EntityLink = { kind: "client" | "session" | "device" | "ip" | "account" | "payee" | "reference"; ref: string; value?: string; events: number; fired: number; firstAt: string; lastAt: string };
export type Event = { id: string; kind: "login" | "logout" | "operation"; status: "accepted" | "waiting" | "decided" | "repeat" | "unreadable" | "quarantined"; loggedAt: string; eventAt?: string; decidedAt?: string; channelId?: number; client?: string; session?: string; clientRef?: string; sessionRef?: string; amount?: string; currency?: string; payee?: string; payeeRef?: string; payeeBank?: string; country?: string; erased?: boolean; policyVersion?: number; repeatOf?: string; matched?: boolean; mismatch?: "noLogin" | "otherClient" | "otherChannel" | "closed" | "expired"; fired: readonly (number)[]; shadow: readonly (number)[]; control?: readonly (number)[]; actions?: readonly (EventAction)[]; label?: "fraud" | "legitimate" };
export type EventAction = { id: string; action: number; state: "waiting" | "due" | "leased" | "executed" | "notExecuted" | "dead" | "expired" | "capped" | "dropped" | "observed" | "notAddressable" | "erased" };
export type EventDetail = { id: string; kind: "login" | "logout" | "operation"; status: "accepted" | "waiting" | "decided" | "repeat" | "unreadable" | "quarantined"; loggedAt: string; eventAt?: string; decidedAt?: string; channelId?: number; client?: string; session?: string; clientRef?: string; sessionRef?: string; amount?: string; currency?: string; payee?: string; payeeRef?: string; payeeBank?: string; country?: string; erased?: boolean; policyVersion?: number; repeatOf?: string; matched?: boolean; mismatch?: "noLogin" | "otherClient" | "otherChannel" | "closed" | "expired"; fired: readonly (number)[]; shadow: readonly (number)[]; control?: readonly (number)[]; received?: unknown; derived?: Readonly<Record<string, unknown>>; rules: readonly (FiredRule)[]; missing: readonly (number)[]; score: number; actions: readonly (Action)[]; outcomes: readonly (ReportedOutcome)[] };
export type EventSearchEvents = { progress: InquiryProgress; found: FoundEvents; done: SearchedEvents; problem: InquiryProblem };
export type EventView = { id: string; name: string; filters: { reason?: number; kind?: "login" | "logout" | "operation"; status?: "accepted" | "waiting" | "decided" | "repeat" | "unreadable" | "quarantined"; channel?: number; policyVersion?: number; currency?: string; payeeBank?: string; country?: string; amountMin?: string; amountMax?: string; fired?: boolean; condition?: string }; changedBy: string; changedAt: string };
export type EventViews = { items: readonly (EventView)[] };
export type ExplainEvents = { progress: InquiryProgress; explained: ExplainedEvent; problem: InquiryProblem };
export type ExplainedCondition = { text: string; holds?: boolean; values: Readonly<Record<string, string>> };
export type ExplainedEvent = { policyVersion: number; basis: "kept" | "again"; models: readonly (ModelExplanation)[]; differences: number };
export type ExplainedInput = { name: string; text: string; value?: number; contribution: number; words: InWords };
export type ExplainedRule = { reason: number; name: string; mode: "live" | "shadow"; suppressed?: "cooldown" | "suppression" | "hold" | "control"; conditions: readonly (ExplainedCondition)[] };
export type ExportedEvents = { items: readonly (Event)[] };
export type FiredRule = { reason: number; name: string; mode: "live" | "shadow"; suppressed?: "cooldown" | "suppression" | "hold" | "control"; withheld?: readonly (number)[]; score?: number; facts: Readonly<Record<string, string>>; summary?: readonly (RuleSummary)[] };
export type FoundEvents = { counts: CountedEvents; money: readonly (MoneySums)[]; bucketSeconds: number; series: readonly (SearchBucket)[]; tops: SearchTops; events: readonly (Event)[] };
export type HandedOver = { by: string; at: string; note?: string };
export type HeldOperation = { event: string; webhookId: string; joinedAt: string; resolution?: "released" | "rejected" | "unresolved"; endedAt?: string; resolvedWith?: string };
export type History = { name: string; source: readonly (string)[]; author: string; importedAt: string; from: string; to: string; events: number; logins: number; logouts: number; operations: number; fraud: number; legitimate: number; leftOut: number };
export type Hold = { id: string; state: "open" | "released" | "rejected" | "unresolved"; event: string; members: number; reason: number; rule?: string; channelId: number; amount?: string; currency?: string; clientRef: string; client?: string; openedAt: string; dueAt: string; otherwise: "release" | "reject" | "keep"; keptBecause?: "policy" | "fraud" | "blocked" | "proposed" | "interrupted"; decision?: HoldDecision; resolvedAt?: string; resolvedBy?: "person" | "deadline" | "bank" | "age" | "erased" | "dropped" | "crowded"; author?: string; bypassed?: boolean };
export type HoldDecision = { decision: "release" | "reject"; state: "undoable" | "second" | "sent" | "undone" | "refused"; author: string; decidedAt: string; undoUntil: string; needsSecond: boolean; second?: string; comment?: string };
export type HoldDetail = { id: string; state: "open" | "released" | "rejected" | "unresolved"; event: string; members: number; reason: number; rule?: string; channelId: number; amount?: string; currency?: string; clientRef: string; client?: string; openedAt: string; dueAt: string; otherwise: "release" | "reject" | "keep"; keptBecause?: "policy" | "fraud" | "blocked" | "proposed" | "interrupted"; decision?: HoldDecision; resolvedAt?: string; resolvedBy?: "person" | "deadline" | "bank" | "age" | "erased" | "dropped" | "crowded"; author?: string; bypassed?: boolean; operations: readonly (HeldOperation)[]; decisions: readonly (HoldDecision)[] };
export type InWords = { en: string; es: string };
export type InquiryProblem = { code: string; status: number; title: string; detail: string };
export type InquiryProgress = { done: number; total: number };
export type Integration = { eventsUrl?: string; channels: readonly (SeenChannel)[]; refused: readonly (RefusedCount)[]; warnings: readonly (IntegrationWarning)[]; endpoint: Endpoint; pauses: readonly (Pause)[] };
export type IntegrationWarning = { code: "timestamp.missing" | "timestamp.implausible" | "client.missing" | "session.missing" | "session.unmatched" | "channel.unknown" | "address.invalid" | "address.internal" | "device.absent" | "device.unusable" | "currency.missing"; lastHour: number; lastDay: number; lastAt: string; event: string };
export type Invitation = { token: string; path: string; expiresAt: string };
export type InvitedAccount = { id: string; email: string; name: string; language: string; roles: readonly (RolesInWorkspace)[]; secondFactor: boolean; password: boolean; issuer?: string; createdAt: string; disabledAt?: string; invitation: Invitation };
export type Key = { id: string; hint: string; origin: "generated" | "brought"; state: "sent" | "live" | "revoked"; createdAt: string; revokedAt?: string; lastUsedAt?: string };
export type KnownAlertFacts = { facts?: AlertFacts };
export type Label = { event: string; label: "fraud" | "legitimate"; author: string; note?: string; labelledAt: string };
export type LabelOutcomes = { accepted: number; unknown: number; items: readonly ({ state: "accepted" | "unknown"; events?: readonly (string)[]; reason?: string })[] };
export type LetterReasons = { en: readonly (string)[]; es: readonly (string)[] };
export type LinkedClient = { clientRef: string; client?: string; shares: readonly ("device" | "ip" | "payee")[]; lastAt: string; alert?: { id: string; state: "open" | "closed"; outcome?: "fraud" | "legitimate" | "inconclusive" | "suppressed" } };
export type ListItem = { ref: string; parts: readonly (string)[]; state: "present" | "expired" | "removed"; author: string; comment: string; addedAt: string; expiresAt?: string; removedBy?: string; removedAt?: string };
export type MadeKey = { id: string; text: string; origin: "generated" | "brought" };
export type MadeNotificationDestination = { id: string; name: string; kind: "http" | "slack" | "teams" | "email"; address: string; settings: { events: { alert?: { risk?: number; amount?: number; currency?: string }; queueAge?: { minutes?: number }; ruleSpike?: { window: "5m" | "1h"; factor: number; minimum: number }; modelDrift?: { hundredths: number }; webhook?: { notExecutedPercent: number }; engineLag?: { seconds: number }; approval?: {}; hold?: { minutes: number }; resolution?: { minutes: number }; mention?: {}; assignment?: {} }; quietHours?: { from: string; to: string; timezone: string }; digestMinutes: number; recovery: boolean; showPersonal: boolean; language: "en" | "es" }; paused: boolean; createdAt: string; createdBy: string; endpoint: Endpoint; waiting: number; dead: number; lastSentAt?: string; lastFailure?: { at: string; reason: string }; signingSecret?: string };
export type MadeToken = { id: string; name: string; hint: string; scopes: readonly ("events:read" | "personal:read" | "alerts:read" | "alerts:write" | "labels:read" | "labels:write" | "outcomes:read" | "outcomes:write" | "actions:read" | "actions:write" | "holds:read" | "holds:decide" | "clients:read" | "clients:write" | "clients:erase" | "lists:read" | "lists:write" | "suppressions:read" | "suppressions:write" | "policies:read" | "policies:write" | "backtests:read" | "backtests:write" | "workspaces:read" | "workspaces:write" | "keys:read" | "keys:write" | "integration:read" | "integration:write" | "service:read" | "service:write" | "audit:read")[]; workspaces: readonly (string)[]; state: "live" | "ended" | "revoked"; createdAt: string; createdBy: string; expiresAt: string; revokedAt?: string; lastUsedAt?: string; text: string };
export type MadeWorkspace = { id: string; name: string; environment: "production" | "development"; owners: { settings: "config" | "api"; keys: "config" | "api"; policy: "config" | "api" }; policyVersion?: number; createdAt: string; settings: Settings; channels: readonly (Channel)[]; database?: string; move?: WorkspaceMove; keys: readonly (MadeKey)[] };
export type MissedFraud = { events: number; money: readonly (MoneySums)[] };
export type ModelCard = { format: string; name: string; sha256: string; data: { fromMs: number; toMs: number; delayMs: number }; labels: { frauds: number; legitimate: number; keptLegitimate: number }; inputs: readonly (ModelCardInput)[]; folds: readonly (ModelCardWeek)[] };
export type ModelCardInput = { name: string; importance: number; monotone: number };
export type ModelCardWeek = { testFromMs: number; events: number; frauds: number; areaUnderRoc?: number; averagePrecision?: number; meanPredicted: number };
export type ModelComparison = { fromMs: number; toMs: number; days: number; trainedToMs?: number; champion: ComparedModel; challenger: ComparedModel; agreement: readonly (Agreement)[] };
export type ModelDrift = { from: string; to: string; warning: number; alarm: number; artifacts: readonly (ModelDriftArtifact)[] };
export type ModelDriftArtifact = { sha256: string; inputs: readonly (ModelDriftInput)[] };
export type ModelDriftDay = { day: string; values: number; index?: number; counts: readonly (number)[] };
export type ModelDriftInput = { input?: string; edges: readonly (number)[]; expected: readonly (number)[]; days: readonly (ModelDriftDay)[] };
export type ModelExplanation = { name: string; sha256: string; p: number; score?: string; margin: number; expected: number; inputs: readonly (ExplainedInput)[]; reasons: LetterReasons };
export type ModelFile = { text: string; sha256: string };
export type ModelReport = { events: number; frauds: number; areaUnderRoc?: number; averagePrecision?: number; days: number; curve: readonly (OperatingPoint)[]; currency?: string; calibration: readonly (CalibrationBin)[]; byAlerts: readonly (ByAlerts)[]; byLegitimate: readonly (ByLegitimate)[]; segments: readonly (ModelSegment)[] };
export type ModelSegment = { by: "channel" | "amount" | "client" | "currency"; name: string; events: number; frauds: number; areaUnderRoc?: number; averagePrecision?: number; meanPredicted: number; observed: number };
export type MoneySums = { currency: string; fraud: string; legitimate: string; unlabelled: string };
export type NewLife = { since: string; keptUntil: string };
export type NewSigningSecret = { signingSecret: string; beforeUntil?: string };
export type NextAlert = { alert?: Alert };
export type NotificationChoice = { mention: boolean; assignment: boolean; approval: boolean; quietHours?: { from: string; to: string; timezone: string }; digestMinutes: number; mail: boolean };
export type NotificationDestination = { id: string; name: string; kind: "http" | "slack" | "teams" | "email"; address: string; settings: { events: { alert?: { risk?: number; amount?: number; currency?: string }; queueAge?: { minutes?: number }; ruleSpike?: { window: "5m" | "1h"; factor: number; minimum: number }; modelDrift?: { hundredths: number }; webhook?: { notExecutedPercent: number }; engineLag?: { seconds: number }; approval?: {}; hold?: { minutes: number }; resolution?: { minutes: number }; mention?: {}; assignment?: {} }; quietHours?: { from: string; to: string; timezone: string }; digestMinutes: number; recovery: boolean; showPersonal: boolean; language: "en" | "es" }; paused: boolean; createdAt: string; createdBy: string; endpoint: Endpoint; waiting: number; dead: number; lastSentAt?: string; lastFailure?: { at: string; reason: string } };
export type NotificationTranscript = { verdict: "sent" | "failed"; problem?: { reason: string; detail: string; advice: string }; request: { to: string; headers: Readonly<Record<string, string>>; body: string }; connection: { resolved: readonly (string)[]; address?: string; proxy?: string; tls?: { protocol: string; subject: string; issuer: string; validTo: string }; resolveMs?: number; connectMs?: number; tlsMs?: number; reused: boolean }; response?: { status: number; headers: Readonly<Record<string, string>>; body: string }; lines?: readonly (string)[]; durationMs: number };
export type OpenIdOption = { name: string; path: string };
export type OperatingPoint = { p: number; score?: number; threshold: number; alerts: number; frauds: number; precision: number; recall: number; legitimateShare: number; missed: number; cost: number };
export type Outcome = { id: string; outcome: "stepUpPassed" | "stepUpFailed" | "stepUpAbandoned" | "executed" | "cancelled" | "released" | "rejected" | "unblocked" | "fraud" | "legitimate" | "chargeback" | "refund" | "retracted"; state: "waiting" | "matched" | "unmatched"; reason?: string; reasonCode?: "noOperation" | "notDecided" | "notLookedUp" | "tooLate" | "severalOperations" | "noAddress" | "unknownEvent" | "foreignEvent" | "unusableEvent" | "otherClient" | "otherEvent" | "unknownAction" | "foreignAction" | "noAction" | "erasedClient"; event?: string; webhookId?: string; user?: string; reference?: string; note?: string; author: string; receivedAt: string };
export type Overview = { from: string; to: string; bucketSeconds: number; buckets: readonly (OverviewBucket)[]; totals: OverviewTotals; activeSessions: number; rules: readonly (CountedName)[]; shadowRules: readonly (CountedName)[]; countries: readonly (CountedName)[]; devices: readonly (CountedName)[]; channels: readonly (CountedName)[]; mismatches: readonly (CountedName)[]; engine: EngineHealth; deliveries: DeliveryHealth };
export type OverviewBucket = { at: string; events: number; logins: number; operations: number; logouts: number; fired: number; shadow: number; executed: number; notExecuted: number; failed: number; open: number; capped: number };
export type OverviewTotals = { events: number; logins: number; operations: number; logouts: number; fired: number; shadow: number; executed: number; notExecuted: number; failed: number; open: number; capped: number };
export type Pause = { scope: "all" | "workspace"; workspace?: string; since: string };
export type Place = { country: string; city?: City; operator?: number; events: number; fired: number; firstAt: string; lastAt: string };
export type Places = { items: readonly (Place)[] };
export type PolicyActivation = { version: number; at: string; before?: number; rules: readonly (number)[] };
export type PolicyDiff = { from: number; items: readonly ({ of: string; change: string })[] };
export type PolicyEmergency = { by: string; at: string; reason: string; expiresAt: string; before: number };
export type PolicyFile = { path: string; text: string };
export type PolicyFiles = { version: number; files: readonly (PolicyFile)[] };
export type PolicyHealth = { keptAt: string; items: readonly (RuleHealth)[] };
export type PolicyList = { name: string; description?: string; of: readonly (string)[]; type: string; live: boolean; max?: number; declared: number; items: number; rules: readonly (number)[]; changedAt?: string; changedBy?: string };
export type PolicyModel = { name: string; on: readonly ("login" | "logout" | "operation")[]; where?: string; inputs: readonly (PolicyModelInput)[]; trained?: TrainedPolicyModel; retrain?: "weekly"; rules: readonly (PolicyModelRule)[] };
export type PolicyModelInput = { name: string; kind: "number" | "boolean" | "category"; text: string };
export type PolicyModelRule = { reason: number; name: string; mode: "live" | "shadow" | "off"; when: string };
export type PolicyOutcome = { rules: readonly (RuleOutcome)[]; actions: readonly (ActionOutcome)[]; flagged: CountedEvents; clients: number; legitimateClients: number; precision?: number; recall?: number; money: readonly (MoneySums)[]; missed: MissedFraud };
export type PolicyRequest = { id: string; version: number; comment: string; warmFrom?: { since?: string; history: readonly (string)[] }; askedBy: string; askedAt: string; state: "open" | "emergency" | "approved" | "refused" | "withdrawn" | "expired" | "replaced"; answeredBy?: string; answeredAt?: string; answer?: string; emergency?: PolicyEmergency; backtest?: number; accounts: readonly (AccountMakers)[] };
export type PolicyStart = { version: number; state: "folding" | "ready" | "switched" | "cancelled" | "failed"; done: number; total: number; error?: string; askedAt: string };
export type PolicyTestReport = { name: string; file: string; line: number; passed: boolean; differences: readonly (string)[]; fired: readonly (number)[]; missed: readonly (number)[] };
export type PolicyVersion = { version: number; hash: string; author: string; comment: string; createdAt: string; active: boolean };
export type PolicyWarning = { file: string; line: number; column: number; message: string; suggestion?: string; severity: "error" | "warning" };
export type RecoveryCodes = { recoveryCodes: readonly (string)[] };
export type RefusedAlert = { alert: string; code: string; detail: string };
export type RefusedCount = { code: "http.malformed" | "json.malformed" | "key.invalid" | "token.invalid" | "session.missing" | "login.refused" | "code.required" | "openId.failed" | "right.missing" | "request.foreign" | "path.unknown" | "thing.unknown" | "invitation.invalid" | "method.wrong" | "request.slow" | "state.conflict" | "owner.config" | "body.tooLarge" | "type.unsupported" | "expectation.unknown" | "event.invalid" | "request.invalid" | "policy.invalid" | "key.reused" | "rate.limited" | "lag.exceeded" | "headers.tooLarge" | "service.failed" | "coding.unknown" | "log.unavailable" | "database.unavailable"; path: string; lastHour: number; lastDay: number; last7Days: number };
export type RefusedRequest = { id: number; at: string; keyId?: string; requestId: string; method: string; path: string; status: number; code: "http.malformed" | "json.malformed" | "key.invalid" | "token.invalid" | "session.missing" | "login.refused" | "code.required" | "openId.failed" | "right.missing" | "request.foreign" | "path.unknown" | "thing.unknown" | "invitation.invalid" | "method.wrong" | "request.slow" | "state.conflict" | "owner.config" | "body.tooLarge" | "type.unsupported" | "expectation.unknown" | "event.invalid" | "request.invalid" | "policy.invalid" | "key.reused" | "rate.limited" | "lag.exceeded" | "headers.tooLarge" | "service.failed" | "coding.unknown" | "log.unavailable" | "database.unavailable"; bodyBytes?: number; errors: readonly ({ pointer: string; detail: string })[] };
export type ReportedOutcome = { outcome: "stepUpPassed" | "stepUpFailed" | "stepUpAbandoned" | "executed" | "cancelled" | "released" | "rejected" | "unblocked" | "fraud" | "legitimate" | "chargeback" | "refund" | "retracted"; method?: string; type?: string; code?: string; stage?: "opened" | "won" | "lost"; loss?: string; recovered?: string; currency?: string; author: string; note?: string; happenedAt?: string; reportedAt: string };
export type RolesInWorkspace = { workspace: string; roles: readonly ("viewer" | "analyst" | "decider" | "author" | "approver" | "administrator")[] };
export type RuleDay = { at: string; fired: number; shadow: number; fraud: number; legitimate: number };
export type RuleHealth = { reason: number; fired: number; shadow: number; suppressed: number; missing: number; fraud: number; legitimate: number; controlFraud: number; controlLegitimate: number };
export type RuleHistories = { from: string; to: string; items: readonly (RuleHistory)[] };
export type RuleHistory = { reason: number; days: readonly (RuleDay)[]; versions: readonly (RuleVersion)[] };
export type RuleOutcome = { reason: number; name: string; mode: "live" | "shadow" | "off"; matches: CountedEvents; suppressed: number; missing: number; actions: number; capped: number; clients: number; legitimateClients: number; precision?: number; money: readonly (MoneySums)[] };
export type RuleSummary = { language: string; parts: readonly (SummaryPart)[] };
export type RuleSuppression = { id: string; reason: number; subject?: string; client?: string; payee?: string; until: string; why: string; author: string; madeAt: string };
export type RuleVersion = { version: number; fired: number; shadow: number; suppressed: number; missing: number; fraud: number; legitimate: number };
export type RuleWithoutMatch = { reason: number; name: string; mode: "live" | "shadow" | "off" };
export type SearchBucket = { at: string; count: number };
export type SearchHit = { kind: "client" | "session" | "device" | "ip" | "account" | "payee" | "reference" | "event" | "action"; ref: string; events: number; lastAt: string };
export type SearchHits = { items: readonly (SearchHit)[] };
export type SearchTops = { client: readonly (TopValue)[]; payee: readonly (TopValue)[]; device: readonly (TopValue)[]; ip: readonly (TopValue)[]; country: readonly (TopValue)[]; channel: readonly (TopValue)[]; category: readonly (TopValue)[]; rule: readonly (TopValue)[] };
export type SearchedEvents = { found: FoundEvents; notes: readonly (string)[] };
export type SecondFactorSetup = { key: string; uri: string };
export type SeenChannel = { channelId: number; configured: boolean; firstSeenAt: string; lastSeenAt: string; events: number };
export type Session = { account: Account; installation: readonly ("see" | "show" | "work" | "decide" | "write" | "approve" | "administer")[]; workspaces: readonly (WorkspaceRights)[]; csrfToken: string; endsAt: string; idleEndsAt: string };
export type SessionOptions = { first: boolean; password: boolean; openId?: OpenIdOption };
export type Settings = { timezone: string; cards: "mask" | "refuse"; sessionGraceSeconds: number; blockHours: number; keepEvents: string; keepActions: string; keepDeviceTokens?: string; fourEyes?: boolean; rateLimit?: { perSecond: number; burst: number }; lagMax?: number; outcomes?: { keyMayLabel: boolean; fraudCodes: readonly (string)[]; fraudTypes?: readonly ({ code: string; name: string })[] }; holds?: { secondAbove?: Readonly<Record<string, number>>; heldAgainHours?: number }; alerts?: { dueMinutes?: number; businessHours?: { days: readonly ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[]; from: string; to: string } }; deviceOrigins?: readonly (string)[]; deliver: "live" | "observe"; webhook?: { url: string; oaepMgf1Hash: "sha256" | "sha1"; dateStyle: "zone" | "local"; clientHash: "hmac" | "sha256"; proxy?: string; retryNotExecuted: boolean; sendReference: boolean; expiryMinutes?: Readonly<Record<string, number>>; publicKeyPem?: string; caPem?: string; clientCertificatePem?: string; clientKeyPem?: string } };
export type Signing = { beforeUntil?: string };
export type Status = { workspaces: readonly (Backlog)[]; deliveries: Readonly<Record<string, number>>; pauses: readonly (Pause)[] };
export type Stream = { name: string; target: string; running: boolean; lagSeconds: number; failingSince?: string; error?: string; lostAt?: string; kinds: readonly (StreamedKind)[] };
export type StreamedKind = { kind: string; sent: number; lagSeconds: number };
export type SummaryPart = { text: string; of?: readonly (string)[]; type?: "string" | "int" | "double" | "decimal" | "bool" | "timestamp" | "duration" | "map" };
export type SupposedAction = { reason: number; action: number; state: "due" | "capped" | "observed" | "notAddressable"; message: string };
export type TakenDecision = { undoUntil: string; needsSecond: boolean };
export type TestTranscript = { verdict: "executed" | "notExecuted" | "failed"; problem?: { reason: string; detail: string; advice: string }; request: { method: "POST"; url: string; headers: Readonly<Record<string, string>>; body: string }; connection: { resolved: readonly (string)[]; address?: string; proxy?: string; tls?: { protocol: string; subject: string; issuer: string; validTo: string }; resolveMs?: number; connectMs?: number; tlsMs?: number; reused: boolean }; response?: { status: number; headers: Readonly<Record<string, string>>; body: string; truncated: boolean; message?: string }; durationMs: number };
export type TestedPolicy = { tests: readonly (PolicyTestReport)[]; unfired: readonly (number)[]; unmissed: readonly (number)[] };
export type Token = { id: string; name: string; hint: string; scopes: readonly ("events:read" | "personal:read" | "alerts:read" | "alerts:write" | "labels:read" | "labels:write" | "outcomes:read" | "outcomes:write" | "actions:read" | "actions:write" | "holds:read" | "holds:decide" | "clients:read" | "clients:write" | "clients:erase" | "lists:read" | "lists:write" | "suppressions:read" | "suppressions:write" | "policies:read" | "policies:write" | "backtests:read" | "backtests:write" | "workspaces:read" | "workspaces:write" | "keys:read" | "keys:write" | "integration:read" | "integration:write" | "service:read" | "service:write" | "audit:read")[]; workspaces: readonly (string)[]; state: "live" | "ended" | "revoked"; createdAt: string; createdBy: string; expiresAt: string; revokedAt?: string; lastUsedAt?: string };
export type TopValue = { value: string; ref?: string; count: number };
export type TrainedPolicyModel = { path: string; sha256: string; trees: number; bytes: number; hasScore: boolean };
export type Training = { id: number; purpose: "training" | "comparison"; model: string; state: "running" | "done" | "failed" | "cancelled"; author: string; startedAt: string; endedAt?: string; history?: string; from?: string; to?: string; delayHours: number; phase?: "events" | "trees"; done: number; total: number; error?: string; sha256?: string };
export type TrainingResult = { card?: ModelCard; report?: ModelReport; comparison?: ModelComparison };
export type TrainingWithResult = { id: number; purpose: "training" | "comparison"; model: string; state: "running" | "done" | "failed" | "cancelled"; author: string; startedAt: string; endedAt?: string; history?: string; from?: string; to?: string; delayHours: number; phase?: "events" | "trees"; done: number; total: number; error?: string; sha256?: string; result?: TrainingResult };
export type UnmatchedRule = { reason: number; name: string; mode: "live" | "shadow"; text: string; conditions: readonly (ExplainedCondition)[]; isPassedOver: boolean };
export type UsualBehaviour = { events: number; since?: string; payments: readonly ({ event: string; at: string; amount: string; fired: boolean })[]; paid: number; hours: readonly (number)[]; payees: number; devices: number; origins: readonly ({ country: string; logins: number })[] };
export type VariedOutcome = { value: string; flagged: CountedEvents; clients: number; legitimateClients: number; precision?: number; recall?: number; money: readonly (MoneySums)[]; missed: MissedFraud; matches: ChangedEvents; toHold: readonly (MoneySums)[] };
export type VariedParam = { param: string; values: readonly (string)[] };
export type VariedResult = { param: string; unit?: string; candidate: string; live?: string; rules: readonly (number)[]; values: readonly (VariedOutcome)[] };
export type WhatIf = { outcome: "decided" | "repeat" | "unreadable"; policyVersion: number; score: number; matched?: boolean; mismatch?: "noLogin" | "otherClient" | "otherChannel" | "closed" | "expired"; rules: readonly (FiredRule)[]; unmatched: readonly (UnmatchedRule)[]; missing: readonly (number)[]; actions: readonly (SupposedAction)[] };
export type Workspace = { id: string; name: string; environment: "production" | "development"; owners: { settings: "config" | "api"; keys: "config" | "api"; policy: "config" | "api" }; policyVersion?: number; createdAt: string; settings: Settings; channels: readonly (Channel)[]; database?: string; move?: WorkspaceMove };
export type WorkspaceMove = { to: string; state: "copying" | "closing" | "aborting"; percent: number };
export type WorkspaceRights = { id: string; name: string; environment: "production" | "development"; rights: readonly ("see" | "show" | "work" | "decide" | "write" | "approve" | "administer")[] };
export type Problem = { type: string; title: string; status: number; detail: string; code: "http.malformed" | "json.malformed" | "key.invalid" | "token.invalid" | "session.missing" | "login.refused" | "code.required" | "openId.failed" | "right.missing" | "request.foreign" | "path.unknown" | "thing.unknown" | "invitation.invalid" | "method.wrong" | "request.slow" | "state.conflict" | "owner.config" | "body.tooLarge" | "type.unsupported" | "expectation.unknown" | "event.invalid" | "request.invalid" | "policy.invalid" | "key.reused" | "rate.limited" | "lag.exceeded" | "headers.tooLarge" | "service.failed" | "coding.unknown" | "log.unavailable" | "database.unavailable"; requestId: string; errors?: readonly ({ pointer: string; detail: string; expected: string })[] };

export interface Operations {
  listWorkspaces: { input: Readonly<Record<string, never>>; answer: { items: readonly (Workspace)[] } };
  createWorkspace: { input: { body: { name: string; environment: "production" | "development"; database?: string; settings?: { timezone?: string; cards?: "mask" | "refuse"; sessionGraceSeconds?: number; blockHours?: number; keepEvents?: string; keepActions?: string; keepDeviceTokens?: string; fourEyes?: boolean; rateLimit?: { perSecond: number; burst: number }; lagMax?: number; outcomes?: { keyMayLabel?: boolean; fraudCodes?: readonly (string)[]; fraudTypes?: readonly ({ code: string; name: string })[] }; holds?: { secondAbove?: Readonly<Record<string, number>>; heldAgainHours?: number }; alerts?: { dueMinutes?: number; businessHours?: { days: readonly ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[]; from: string; to: string } }; deviceOrigins?: readonly (string)[]; deliver?: "live" | "observe"; webhook?: { url: string; oaepMgf1Hash?: "sha256" | "sha1"; dateStyle?: "zone" | "local"; clientHash?: "hmac" | "sha256"; proxy?: string; retryNotExecuted?: boolean; sendReference?: boolean; expiryMinutes?: Readonly<Record<string, number>>; publicKeyPem?: string; caPem?: string; clientCertificatePem?: string; clientKeyPem?: string } }; channels?: readonly ({ id: number; name: string; idleMinutes?: number; absoluteHours?: number; sessions?: "required" | "optional"; device?: "token" | "none" })[] } }; answer: MadeWorkspace };
  readWorkspace: { input: { params: { workspace: string } }; answer: Workspace };
  changeWorkspace: { input: { params: { workspace: string }; body?: { name?: string; settings?: { timezone?: string | null; cards?: "mask" | "refuse" | null; sessionGraceSeconds?: number | null; blockHours?: number | null; keepEvents?: string | null; keepActions?: string | null; keepDeviceTokens?: string | null; fourEyes?: boolean | null; rateLimit?: { perSecond?: number | null; burst?: number | null } | null; lagMax?: number | null; outcomes?: { keyMayLabel?: boolean | null; fraudCodes?: readonly (string)[] | null; fraudTypes?: readonly ({ code: string; name: string })[] | null } | null; holds?: { secondAbove?: Readonly<Record<string, number | null>> | null; heldAgainHours?: number | null } | null; alerts?: { dueMinutes?: number | null; businessHours?: { days?: readonly ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[] | null; from?: string | null; to?: string | null } | null } | null; deviceOrigins?: readonly (string)[] | null; deliver?: "live" | "observe" | null; webhook?: { url?: string | null; oaepMgf1Hash?: "sha256" | "sha1" | null; dateStyle?: "zone" | "local" | null; clientHash?: "hmac" | "sha256" | null; proxy?: string | null; retryNotExecuted?: boolean | null; sendReference?: boolean | null; expiryMinutes?: Readonly<Record<string, number | null>> | null; publicKeyPem?: string | null; caPem?: string | null; clientCertificatePem?: string | null; clientKeyPem?: string | null } | null }; channels?: readonly ({ id: number; name: string; idleMinutes?: number; absoluteHours?: number; sessions?: "required" | "optional"; device?: "token" | "none" })[] } }; answer: Workspace };
  putChannel: { input: { params: { workspace: string; channel: number }; body: { name: string; idleMinutes?: number; absoluteHours?: number; sessions?: "required" | "optional"; device?: "token" | "none" } }; answer: Workspace };
  removeChannel: { input: { params: { workspace: string; channel: number } }; answer: undefined };
  listKeys: { input: { params: { workspace: string } }; answer: { items: readonly (Key)[] } };
  createKey: { input: { params: { workspace: string }; body?: { text?: string } }; answer: MadeKey };
  promoteKey: { input: { params: { workspace: string; key: string } }; answer: undefined };
  revokeKey: { input: { params: { workspace: string; key: string }; body?: { force?: boolean } }; answer: undefined };
  readSigning: { input: { params: { workspace: string } }; answer: Signing };
  rotateSigningSecret: { input: { params: { workspace: string }; body?: { overlapHours?: number } }; answer: NewSigningSecret };
  retireSigningSecret: { input: { params: { workspace: string } }; answer: undefined };
  listDeviceKeys: { input: { params: { workspace: string } }; answer: DeviceKeySet };
  rotateDeviceKey: { input: { params: { workspace: string }; body?: { alone?: boolean } }; answer: DeviceKeySet };
  listPolicies: { input: { params: { workspace: string } }; answer: { items: readonly (PolicyVersion)[] } };
  applyPolicy: { input: { params: { workspace: string }; body: { warmFrom?: { since?: string; history?: readonly (string)[] }; files: readonly ({ path: string; text: string })[]; ifVersion?: number; author?: string; comment?: string } }; answer: AppliedPolicy };
  readPolicy: { input: { params: { workspace: string; version: number } }; answer: PolicyFiles };
  diffPolicies: { input: { params: { workspace: string; version: number }; query?: { from?: undefined | number } }; answer: PolicyDiff };
  checkPolicy: { input: { params: { workspace: string }; body: { files: readonly ({ path: string; text: string })[] } }; answer: CheckedPolicy };
  listPolicyStarts: { input: { params: { workspace: string } }; answer: { items: readonly (PolicyStart)[] } };
  activatePolicy: { input: { params: { workspace: string; version: number }; body?: { warmFrom?: { since?: string; history?: readonly (string)[] }; ifVersion?: number; comment?: string } }; answer: undefined };
  readRuleHealth: { input: { params: { workspace: string; version: number } }; answer: PolicyHealth };
  testPolicy: { input: { params: { workspace: string }; body: { files: readonly ({ path: string; text: string })[] } }; answer: TestedPolicy };
  readRuleHistory: { input: { params: { workspace: string }; query?: { from?: undefined | string; to?: undefined | string } }; answer: RuleHistories };
  listPolicyActivations: { input: { params: { workspace: string }; query?: { from?: undefined | string; to?: undefined | string } }; answer: { items: readonly (PolicyActivation)[] } };
  readModelDrift: { input: { params: { workspace: string; model: string }; query?: { from?: undefined | string; to?: undefined | string } }; answer: ModelDrift };
  listPolicyRequests: { input: { params: { workspace: string } }; answer: { items: readonly (PolicyRequest)[] } };
  requestPolicy: { input: { params: { workspace: string }; body?: { files?: readonly ({ path: string; text: string })[]; version?: number; warmFrom?: { since?: string; history?: readonly (string)[] }; comment?: string } }; answer: PolicyRequest };
  activatePolicyInEmergency: { input: { params: { workspace: string; version: number }; body: { reason: string; ifVersion?: number } }; answer: PolicyRequest };
  backtestPolicyRequest: { input: { params: { workspace: string; request: string } }; answer: PolicyRequest };
  approvePolicyRequest: { input: { params: { workspace: string; request: string }; body?: { comment?: string; ifVersion?: number } }; answer: PolicyRequest };
  refusePolicyRequest: { input: { params: { workspace: string; request: string }; body?: { comment?: string } }; answer: PolicyRequest };
  withdrawPolicyRequest: { input: { params: { workspace: string; request: string }; body?: { comment?: string } }; answer: PolicyRequest };
  listLists: { input: { params: { workspace: string } }; answer: { items: readonly (PolicyList)[] } };
  listListItems: { input: { params: { workspace: string; list: string }; query?: { state?: undefined | "present" | "ended"; text?: undefined | string; limit?: undefined | number; cursor?: undefined | string; show?: undefined | boolean } }; answer: { items: readonly (ListItem)[]; next?: string } };
  changeList: { input: { params: { workspace: string; list: string }; body: { put?: readonly ({ parts?: readonly (string)[]; ref?: string; expiresAt?: string })[]; remove?: readonly (readonly (string)[])[]; removeRefs?: readonly (string)[]; comment: string } }; answer: { status: "accepted"; absent: readonly (string)[] } };
  listRuleSuppressions: { input: { params: { workspace: string }; query?: { show?: undefined | boolean } }; answer: { items: readonly (RuleSuppression)[] } };
  suppressRule: { input: { params: { workspace: string }; body: { reason: number; client?: string; payee?: string; until: string; why: string } }; answer: RuleSuppression };
  endRuleSuppression: { input: { params: { workspace: string; suppression: string } }; answer: undefined };
  listEvents: { input: { params: { workspace: string }; query?: { limit?: undefined | number; cursor?: undefined | string; client?: undefined | string; session?: undefined | string; about?: undefined | string; payee?: undefined | string; reason?: undefined | number; kind?: undefined | "login" | "logout" | "operation"; status?: undefined | "accepted" | "waiting" | "decided" | "repeat" | "unreadable" | "quarantined"; channel?: undefined | number; policyVersion?: undefined | number; currency?: undefined | string; payeeBank?: undefined | string; country?: undefined | string; amountMin?: undefined | string; amountMax?: undefined | string; from?: undefined | string; to?: undefined | string; show?: undefined | boolean } }; answer: { items: readonly (Event)[]; next?: string } };
  listDecisions: { input: { params: { workspace: string }; query?: { limit?: undefined | number; cursor?: undefined | string; client?: undefined | string; session?: undefined | string; about?: undefined | string; payee?: undefined | string; reason?: undefined | number; kind?: undefined | "login" | "logout" | "operation"; status?: undefined | "accepted" | "waiting" | "decided" | "repeat" | "unreadable" | "quarantined"; channel?: undefined | number; policyVersion?: undefined | number; currency?: undefined | string; payeeBank?: undefined | string; country?: undefined | string; amountMin?: undefined | string; amountMax?: undefined | string; from?: undefined | string; to?: undefined | string; show?: undefined | boolean } }; answer: { items: readonly (Event)[]; next?: string } };
  readEvent: { input: { params: { workspace: string; event: string }; query?: { show?: undefined | boolean } }; answer: EventDetail };
  supposeEvent: { input: { params: { workspace: string; event: string }; body: { edits: Readonly<Record<string, unknown>>; show?: boolean } }; answer: WhatIf };
  decideEventThen: { input: { params: { workspace: string; event: string }; body?: { edits?: Readonly<Record<string, unknown>>; show?: boolean } }; answer: DecideThenEvents };
  explainEvent: { input: { params: { workspace: string; event: string }; body?: { again?: boolean } }; answer: ExplainEvents };
  searchEvents: { input: { params: { workspace: string }; body: { condition: string; from?: string; to?: string; show?: boolean } }; answer: EventSearchEvents };
  exportEvents: { input: { params: { workspace: string }; body: { events: readonly (string)[]; show?: boolean } }; answer: ExportedEvents };
  tellLabels: { input: { params: { workspace: string }; body: { labels: readonly ({ event?: string; client?: string; reference?: string; label: "fraud" | "legitimate"; note?: string })[] } }; answer: LabelOutcomes };
  listLabels: { input: { params: { workspace: string }; query?: { limit?: undefined | number; cursor?: undefined | string; show?: undefined | boolean } }; answer: { items: readonly (Label)[]; next?: string } };
  listLabelsOfEvent: { input: { params: { workspace: string; event: string }; query?: { limit?: undefined | number; cursor?: undefined | string; show?: undefined | boolean } }; answer: { items: readonly (Label)[]; next?: string } };
  reportOutcome: { input: { params: { workspace: string }; body: { channelId: number; outcome: "stepUpPassed" | "stepUpFailed" | "stepUpAbandoned" | "executed" | "cancelled" | "released" | "rejected" | "unblocked" | "fraud" | "legitimate" | "chargeback" | "refund" | "retracted"; event?: string | null; user?: string | null; reference?: string | null; webhookId?: string | null; timestamp?: string | null; method?: string | null; type?: string | null; code?: string | null; stage?: "opened" | "won" | "lost" | null; loss?: number | null; recovered?: number | null; currency?: string | null; note?: string | null } }; answer: AcceptedOutcome };
  listOutcomes: { input: { params: { workspace: string }; query?: { state?: undefined | "waiting" | "matched" | "unmatched" | "open"; reasonCode?: undefined | "noOperation" | "notDecided" | "notLookedUp" | "tooLate" | "severalOperations" | "noAddress" | "unknownEvent" | "foreignEvent" | "unusableEvent" | "otherClient" | "otherEvent" | "unknownAction" | "foreignAction" | "noAction" | "erasedClient"; event?: undefined | string; limit?: undefined | number; cursor?: undefined | string; show?: undefined | boolean } }; answer: { items: readonly (Outcome)[]; next?: string } };
  startBacktest: { input: { params: { workspace: string }; body?: { files?: readonly ({ path: string; text: string })[]; version?: number; history?: string; from?: string; to?: string; against?: "live" | "nothing"; asLive?: "none" | "new" | "all"; vary?: { param: string; values?: readonly (number)[]; from?: number; to?: number; steps?: number }; author?: string } }; answer: Backtest };
  listBacktests: { input: { params: { workspace: string } }; answer: { items: readonly (Backtest)[] } };
  readBacktest: { input: { params: { workspace: string; backtest: number } }; answer: BacktestWithResult };
  removeBacktest: { input: { params: { workspace: string; backtest: number } }; answer: undefined };
  listBacktestExamples: { input: { params: { workspace: string; backtest: number }; query?: { list?: undefined | "rule" | "newlyFlagged" | "noLongerFlagged"; reason?: undefined | number; show?: undefined | boolean } }; answer: { items: readonly (BacktestExample)[] } };
  cancelBacktest: { input: { params: { workspace: string; backtest: number } }; answer: undefined };
  listModels: { input: { params: { workspace: string } }; answer: { items: readonly (PolicyModel)[] } };
  startTraining: { input: { params: { workspace: string }; body: { model: string; files?: readonly ({ path: string; text: string })[]; history?: string; from?: string; to?: string; delayDays?: number; author?: string; trees?: number; leaves?: number; rate?: number; legitimateShare?: number; halfLifeDays?: number; up?: readonly (string)[]; down?: readonly (string)[] } }; answer: Training };
  listTrainings: { input: { params: { workspace: string } }; answer: { items: readonly (Training)[] } };
  compareModels: { input: { params: { workspace: string; training: number }; body?: { history?: string; from?: string; to?: string; delayDays?: number; author?: string } }; answer: Training };
  readTraining: { input: { params: { workspace: string; training: number } }; answer: TrainingWithResult };
  removeTraining: { input: { params: { workspace: string; training: number } }; answer: undefined };
  readModelFile: { input: { params: { workspace: string; training: number } }; answer: ModelFile };
  cancelTraining: { input: { params: { workspace: string; training: number } }; answer: undefined };
  listHistories: { input: { params: { workspace: string } }; answer: { items: readonly (History)[] } };
  removeHistory: { input: { params: { workspace: string; history: string } }; answer: undefined };
  listActions: { input: { params: { workspace: string }; query?: { limit?: undefined | number; cursor?: undefined | string; state?: undefined | "waiting" | "due" | "leased" | "executed" | "notExecuted" | "dead" | "expired" | "capped" | "dropped" | "observed" | "notAddressable" | "erased"; client?: undefined | string; session?: undefined | string; reason?: undefined | number; from?: undefined | string; to?: undefined | string; show?: undefined | boolean } }; answer: { items: readonly (Action)[]; next?: string } };
  readAction: { input: { params: { workspace: string; action: string }; query?: { show?: undefined | boolean } }; answer: ActionDetail };
  redeliverAction: { input: { params: { workspace: string; action: string }; body?: { again?: boolean } }; answer: Changed };
  redeliverActions: { input: { params: { workspace: string }; body?: { state?: "expired" | "dead" | "notExecuted" | "observed" | "executed"; again?: boolean; finishedFrom?: string; finishedTo?: string; client?: string; session?: string; reason?: number; from?: string; to?: string } }; answer: Changed };
  releaseAction: { input: { params: { workspace: string; action: string } }; answer: Changed };
  releaseActions: { input: { params: { workspace: string }; body?: { client?: string; session?: string; reason?: number; from?: string; to?: string } }; answer: Changed };
  dropAction: { input: { params: { workspace: string; action: string } }; answer: Changed };
  dropActions: { input: { params: { workspace: string }; body?: { client?: string; session?: string; reason?: number; from?: string; to?: string } }; answer: Changed };
  triggerAction: { input: { params: { workspace: string; event: string }; body: { action: number; reason: number; message: string } }; answer: Action };
  listHolds: { input: { params: { workspace: string }; query?: { limit?: undefined | number; cursor?: undefined | string; state?: undefined | "open" | "released" | "rejected" | "unresolved" | "ended"; client?: undefined | string; clientRef?: undefined | string; event?: undefined | string; show?: undefined | boolean } }; answer: { items: readonly (Hold)[]; next?: string } };
  readHold: { input: { params: { workspace: string; hold: string }; query?: { show?: undefined | boolean } }; answer: HoldDetail };
  decideHold: { input: { params: { workspace: string; hold: string }; body: { decision: "release" | "reject"; comment?: string } }; answer: TakenDecision };
  decideHolds: { input: { params: { workspace: string }; body: { holds: readonly (string)[]; decision: "release" | "reject"; comment?: string } }; answer: DecisionResults };
  undoHoldDecision: { input: { params: { workspace: string; hold: string } }; answer: undefined };
  answerHoldDecision: { input: { params: { workspace: string; hold: string }; body: { decision: "confirm" | "refuse" } }; answer: undefined };
  unblockClient: { input: { params: { workspace: string }; body: { client: string } }; answer: { status: "accepted" } };
  eraseClient: { input: { params: { workspace: string }; body: { client: string } }; answer: { erased: boolean } };
  listNotificationDestinations: { input: { params: { workspace: string } }; answer: { items: readonly (NotificationDestination)[]; mail: boolean } };
  createNotificationDestination: { input: { params: { workspace: string }; body: { name: string; kind: "http" | "slack" | "teams" | "email"; url?: string; to?: readonly (string)[]; settings: { events: { alert?: { risk?: number; amount?: number; currency?: string }; queueAge?: { minutes?: number }; ruleSpike?: { window?: "5m" | "1h"; factor?: number; minimum?: number }; modelDrift?: { hundredths?: number }; webhook?: { notExecutedPercent?: number }; engineLag?: { seconds?: number }; approval?: {}; hold?: { minutes?: number }; resolution?: { minutes?: number }; mention?: {}; assignment?: {} }; quietHours?: { from: string; to: string; timezone?: string }; digestMinutes?: number; recovery?: boolean; showPersonal?: boolean; language?: "en" | "es" } } }; answer: MadeNotificationDestination };
  changeNotificationDestination: { input: { params: { workspace: string; destination: string }; body?: { name?: string; url?: string; to?: readonly (string)[]; settings?: { events: { alert?: { risk?: number; amount?: number; currency?: string }; queueAge?: { minutes?: number }; ruleSpike?: { window?: "5m" | "1h"; factor?: number; minimum?: number }; modelDrift?: { hundredths?: number }; webhook?: { notExecutedPercent?: number }; engineLag?: { seconds?: number }; approval?: {}; hold?: { minutes?: number }; resolution?: { minutes?: number }; mention?: {}; assignment?: {} }; quietHours?: { from: string; to: string; timezone?: string }; digestMinutes?: number; recovery?: boolean; showPersonal?: boolean; language?: "en" | "es" }; paused?: boolean } }; answer: NotificationDestination };
  removeNotificationDestination: { input: { params: { workspace: string; destination: string } }; answer: undefined };
  testNotificationDestination: { input: { params: { workspace: string; destination: string } }; answer: NotificationTranscript };
  readNotificationChoice: { input: Readonly<Record<string, never>>; answer: NotificationChoice };
  writeNotificationChoice: { input: { body?: { mention?: boolean; assignment?: boolean; approval?: boolean; quietHours?: { from: string; to: string; timezone?: string }; digestMinutes?: number } }; answer: NotificationChoice };
  listRefused: { input: { params: { workspace: string }; query?: { limit?: undefined | number; cursor?: undefined | string } }; answer: { items: readonly (RefusedRequest)[]; next?: string; counts: readonly (RefusedCount)[] } };
  readIntegration: { input: { params: { workspace: string } }; answer: Integration };
  testWebhook: { input: { params: { workspace: string } }; answer: TestTranscript };
  enableWebhook: { input: { params: { workspace: string } }; answer: Endpoint };
  readStatus: { input: Readonly<Record<string, never>>; answer: Status };
  pauseAll: { input: Readonly<Record<string, never>>; answer: undefined };
  pauseWorkspace: { input: { params: { workspace: string } }; answer: undefined };
  resumeAll: { input: Readonly<Record<string, never>>; answer: undefined };
  resumeWorkspace: { input: { params: { workspace: string } }; answer: undefined };
  listStreams: { input: Readonly<Record<string, never>>; answer: { items: readonly (Stream)[] } };
  listAlerts: { input: { params: { workspace: string }; query?: { limit?: undefined | number; cursor?: undefined | string; state?: undefined | "open" | "closed"; sort?: undefined | "queue" | "risk" | "money" | "oldest" | "newest"; assigned?: undefined | string; reason?: undefined | number; channel?: undefined | number; riskMin?: undefined | number; currency?: undefined | string; amountMin?: undefined | number; olderThan?: undefined | number; due?: undefined | "over"; outcome?: undefined | "fraud" | "legitimate" | "inconclusive" | "suppressed"; client?: undefined | string; clientRef?: undefined | string; show?: undefined | boolean } }; answer: { items: readonly (Alert)[]; next?: string } };
  readAlertNumbers: { input: { params: { workspace: string } }; answer: AlertNumbers };
  readAlert: { input: { params: { workspace: string; alert: string }; query?: { show?: undefined | boolean } }; answer: AlertDetail };
  readAlertFacts: { input: { params: { workspace: string; alert: string }; query?: { show?: undefined | boolean } }; answer: KnownAlertFacts };
  claimNextAlert: { input: { params: { workspace: string } }; answer: NextAlert };
  claimAlert: { input: { params: { workspace: string; alert: string } }; answer: Alert };
  releaseAlert: { input: { params: { workspace: string; alert: string } }; answer: Alert };
  claimAlerts: { input: { params: { workspace: string }; body: { alerts: readonly (string)[] } }; answer: ChangedAlerts };
  commentAlert: { input: { params: { workspace: string; alert: string }; body: { text: string } }; answer: undefined };
  listAnalysts: { input: { params: { workspace: string } }; answer: { items: readonly (Analyst)[] } };
  handOverAlert: { input: { params: { workspace: string; alert: string }; body: { to: string; note?: string } }; answer: Alert };
  handOverAlerts: { input: { params: { workspace: string }; body: { alerts: readonly (string)[]; to: string; note?: string } }; answer: ChangedAlerts };
  takeBackAlert: { input: { params: { workspace: string; alert: string } }; answer: Alert };
  closeAlert: { input: { params: { workspace: string; alert: string }; body: { outcome: "fraud" | "legitimate" | "inconclusive"; type?: string; loss?: string; recovered?: string; currency?: string; comment?: string } }; answer: ClosedAlert };
  correctAlert: { input: { params: { workspace: string; alert: string }; body: { outcome: "fraud" | "legitimate" | "inconclusive"; type?: string; loss?: string; recovered?: string; currency?: string; comment?: string } }; answer: Alert };
  closeAlerts: { input: { params: { workspace: string }; body: { alerts: readonly (string)[]; outcome: "fraud" | "legitimate" | "inconclusive"; type?: string; loss?: string; recovered?: string; currency?: string; comment?: string } }; answer: ClosedAlerts };
  suppressAlert: { input: { params: { workspace: string; alert: string }; body: { hours: number; reason?: number; why: string } }; answer: AlertSuppression };
  suppressAlerts: { input: { params: { workspace: string }; body: { alerts: readonly (string)[]; hours: number; reason?: number; why: string } }; answer: ChangedAlerts };
  listAlertSuppressions: { input: { params: { workspace: string }; query?: { show?: undefined | boolean } }; answer: { items: readonly (AlertSuppression)[] } };
  endAlertSuppression: { input: { params: { workspace: string; suppression: string } }; answer: undefined };
  listAlertViews: { input: { params: { workspace: string } }; answer: AlertViews };
  addAlertView: { input: { params: { workspace: string }; body: { name: string; filters: { state?: "open" | "closed"; sort?: "queue" | "risk" | "money" | "oldest" | "newest"; assigned?: string; reason?: number; channel?: number; riskMin?: number; currency?: string; amountMin?: number; olderThan?: number; due?: "over"; outcome?: "fraud" | "legitimate" | "inconclusive" | "suppressed" } } }; answer: AlertView };
  changeAlertView: { input: { params: { workspace: string; view: string }; body?: { name?: string; filters?: { state?: "open" | "closed"; sort?: "queue" | "risk" | "money" | "oldest" | "newest"; assigned?: string; reason?: number; channel?: number; riskMin?: number; currency?: string; amountMin?: number; olderThan?: number; due?: "over"; outcome?: "fraud" | "legitimate" | "inconclusive" | "suppressed" } } }; answer: AlertView };
  removeAlertView: { input: { params: { workspace: string; view: string } }; answer: undefined };
  listEventViews: { input: { params: { workspace: string } }; answer: EventViews };
  addEventView: { input: { params: { workspace: string }; body: { name: string; filters: { reason?: number; kind?: "login" | "logout" | "operation"; status?: "accepted" | "waiting" | "decided" | "repeat" | "unreadable" | "quarantined"; channel?: number; policyVersion?: number; currency?: string; payeeBank?: string; country?: string; amountMin?: string; amountMax?: string; fired?: boolean; condition?: string } } }; answer: EventView };
  changeEventView: { input: { params: { workspace: string; view: string }; body?: { name?: string; filters?: { reason?: number; kind?: "login" | "logout" | "operation"; status?: "accepted" | "waiting" | "decided" | "repeat" | "unreadable" | "quarantined"; channel?: number; policyVersion?: number; currency?: string; payeeBank?: string; country?: string; amountMin?: string; amountMax?: string; fired?: boolean; condition?: string } } }; answer: EventView };
  removeEventView: { input: { params: { workspace: string; view: string } }; answer: undefined };
  readOverview: { input: { params: { workspace: string }; query?: { from?: undefined | string; to?: undefined | string } }; answer: Overview };
  search: { input: { params: { workspace: string }; body: { text: string } }; answer: SearchHits };
  readEntity: { input: { params: { workspace: string; kind: "client" | "session" | "device" | "ip" | "account" | "payee" | "reference"; ref: string }; query?: { show?: undefined | boolean } }; answer: Entity };
  listPlaces: { input: { params: { workspace: string; kind: "client" | "session" | "device" | "ip" | "account" | "payee" | "reference"; ref: string } }; answer: Places };
  listClientNotes: { input: { params: { workspace: string; client: string }; query?: { show?: undefined | boolean } }; answer: ClientNotes };
  addClientNote: { input: { params: { workspace: string; client: string }; body: { text: string } }; answer: undefined };
  followWorkspace: { input: { params: { workspace: string }; query?: { after?: undefined | number } }; answer: undefined };
  readSessionOptions: { input: Readonly<Record<string, never>>; answer: SessionOptions };
  readSession: { input: Readonly<Record<string, never>>; answer: Session };
  openSession: { input: { body: { email: string; password: string; code?: string } }; answer: Session };
  endSession: { input: Readonly<Record<string, never>>; answer: undefined };
  openFirstSession: { input: { body: { token: string; email: string; name: string; password: string } }; answer: Session };
  acceptInvitation: { input: { body: { token: string; password: string } }; answer: AcceptedInvitation };
  changePassword: { input: { body: { password: string; newPassword: string } }; answer: undefined };
  changeOwnAccount: { input: { body?: { name?: string; language?: string } }; answer: Session };
  beginSecondFactor: { input: { body: { password: string } }; answer: SecondFactorSetup };
  confirmSecondFactor: { input: { body: { code: string } }; answer: RecoveryCodes };
  removeSecondFactor: { input: { body: { password: string } }; answer: undefined };
  listAccounts: { input: Readonly<Record<string, never>>; answer: { items: readonly (Account)[] } };
  createAccount: { input: { body: { email: string; name: string; language?: string; roles: readonly ({ workspace: string; roles: readonly ("viewer" | "analyst" | "decider" | "author" | "approver" | "administrator")[] })[] } }; answer: InvitedAccount };
  readAccount: { input: { params: { account: string } }; answer: AccountDetail };
  changeAccount: { input: { params: { account: string }; body?: { name?: string; language?: string; roles?: readonly ({ workspace: string; roles: readonly ("viewer" | "analyst" | "decider" | "author" | "approver" | "administrator")[] })[]; disabled?: boolean } }; answer: Account };
  removeAccount: { input: { params: { account: string } }; answer: undefined };
  inviteAccount: { input: { params: { account: string } }; answer: Invitation };
  endAccountSessions: { input: { params: { account: string } }; answer: { ended: number } };
  endAccountSession: { input: { params: { account: string; session: string } }; answer: undefined };
  removeAccountSecondFactor: { input: { params: { account: string } }; answer: undefined };
  listTokens: { input: Readonly<Record<string, never>>; answer: { items: readonly (Token)[] } };
  createToken: { input: { body: { name: string; scopes: readonly ("events:read" | "personal:read" | "alerts:read" | "alerts:write" | "labels:read" | "labels:write" | "outcomes:read" | "outcomes:write" | "actions:read" | "actions:write" | "holds:read" | "holds:decide" | "clients:read" | "clients:write" | "clients:erase" | "lists:read" | "lists:write" | "suppressions:read" | "suppressions:write" | "policies:read" | "policies:write" | "backtests:read" | "backtests:write" | "workspaces:read" | "workspaces:write" | "keys:read" | "keys:write" | "integration:read" | "integration:write" | "service:read" | "service:write" | "audit:read")[]; workspaces: readonly (string)[]; days?: number } }; answer: MadeToken };
  revokeToken: { input: { params: { token: string } }; answer: Token };
  listAudit: { input: { query?: { limit?: undefined | number; cursor?: undefined | string; actor?: undefined | string; action?: undefined | string; target?: undefined | string; from?: undefined | string; to?: undefined | string } }; answer: { items: readonly (AuditEntry)[]; next?: string } };
  listWorkspaceAudit: { input: { params: { workspace: string }; query?: { limit?: undefined | number; cursor?: undefined | string; actor?: undefined | string; action?: undefined | string; target?: undefined | string; from?: undefined | string; to?: undefined | string } }; answer: { items: readonly (AuditEntry)[]; next?: string } };
  verifyAudit: { input: Readonly<Record<string, never>>; answer: AuditVerdict };
  exportAudit: { input: { query?: { actor?: undefined | string; action?: undefined | string; target?: undefined | string; from?: undefined | string; to?: undefined | string } }; answer: undefined };
  exportWorkspaceAudit: { input: { params: { workspace: string }; query?: { actor?: undefined | string; action?: undefined | string; target?: undefined | string; from?: undefined | string; to?: undefined | string } }; answer: undefined };
}

export const operations = {
  listWorkspaces: ['GET', '/management/v1/workspaces'],
  createWorkspace: ['POST', '/management/v1/workspaces'],
  readWorkspace: ['GET', '/management/v1/workspaces/{workspace}'],
  changeWorkspace: ['PATCH', '/management/v1/workspaces/{workspace}'],
  putChannel: ['PUT', '/management/v1/workspaces/{workspace}/channels/{channel}'],
  removeChannel: ['DELETE', '/management/v1/workspaces/{workspace}/channels/{channel}'],
  listKeys: ['GET', '/management/v1/workspaces/{workspace}/keys'],
  createKey: ['POST', '/management/v1/workspaces/{workspace}/keys'],
  promoteKey: ['POST', '/management/v1/workspaces/{workspace}/keys/{key}/promote'],
  revokeKey: ['POST', '/management/v1/workspaces/{workspace}/keys/{key}/revoke'],
  readSigning: ['GET', '/management/v1/workspaces/{workspace}/webhook/secret'],
  rotateSigningSecret: ['POST', '/management/v1/workspaces/{workspace}/webhook/secret/rotate'],
  retireSigningSecret: ['POST', '/management/v1/workspaces/{workspace}/webhook/secret/retire'],
  listDeviceKeys: ['GET', '/management/v1/workspaces/{workspace}/device-keys'],
  rotateDeviceKey: ['POST', '/management/v1/workspaces/{workspace}/device-keys/rotate'],
  listPolicies: ['GET', '/management/v1/workspaces/{workspace}/policies'],
  applyPolicy: ['POST', '/management/v1/workspaces/{workspace}/policies'],
  readPolicy: ['GET', '/management/v1/workspaces/{workspace}/policies/{version}'],
  diffPolicies: ['GET', '/management/v1/workspaces/{workspace}/policies/{version}/diff'],
  checkPolicy: ['POST', '/management/v1/workspaces/{workspace}/policies/check'],
  listPolicyStarts: ['GET', '/management/v1/workspaces/{workspace}/policy-starts'],
  activatePolicy: ['POST', '/management/v1/workspaces/{workspace}/policies/{version}/activate'],
  readRuleHealth: ['GET', '/management/v1/workspaces/{workspace}/policies/{version}/health'],
  testPolicy: ['POST', '/management/v1/workspaces/{workspace}/policies/test'],
  readRuleHistory: ['GET', '/management/v1/workspaces/{workspace}/rule-history'],
  listPolicyActivations: ['GET', '/management/v1/workspaces/{workspace}/policy-activations'],
  readModelDrift: ['GET', '/management/v1/workspaces/{workspace}/models/{model}/drift'],
  listPolicyRequests: ['GET', '/management/v1/workspaces/{workspace}/policies/requests'],
  requestPolicy: ['POST', '/management/v1/workspaces/{workspace}/policies/requests'],
  activatePolicyInEmergency: ['POST', '/management/v1/workspaces/{workspace}/policies/{version}/emergency'],
  backtestPolicyRequest: ['POST', '/management/v1/workspaces/{workspace}/policies/requests/{request}/backtest'],
  approvePolicyRequest: ['POST', '/management/v1/workspaces/{workspace}/policies/requests/{request}/approve'],
  refusePolicyRequest: ['POST', '/management/v1/workspaces/{workspace}/policies/requests/{request}/refuse'],
  withdrawPolicyRequest: ['POST', '/management/v1/workspaces/{workspace}/policies/requests/{request}/withdraw'],
  listLists: ['GET', '/management/v1/workspaces/{workspace}/lists'],
  listListItems: ['GET', '/management/v1/workspaces/{workspace}/lists/{list}/items'],
  changeList: ['POST', '/management/v1/workspaces/{workspace}/lists/{list}/items'],
  listRuleSuppressions: ['GET', '/management/v1/workspaces/{workspace}/suppressions'],
  suppressRule: ['POST', '/management/v1/workspaces/{workspace}/suppressions'],
  endRuleSuppression: ['POST', '/management/v1/workspaces/{workspace}/suppressions/{suppression}/end'],
  listEvents: ['GET', '/management/v1/workspaces/{workspace}/events'],
  listDecisions: ['GET', '/management/v1/workspaces/{workspace}/decisions'],
  readEvent: ['GET', '/management/v1/workspaces/{workspace}/events/{event}'],
  supposeEvent: ['POST', '/management/v1/workspaces/{workspace}/events/{event}/what-if'],
  decideEventThen: ['POST', '/management/v1/workspaces/{workspace}/events/{event}/decide-then'],
  explainEvent: ['POST', '/management/v1/workspaces/{workspace}/events/{event}/explain'],
  searchEvents: ['POST', '/management/v1/workspaces/{workspace}/events/search'],
  exportEvents: ['POST', '/management/v1/workspaces/{workspace}/events/export'],
  tellLabels: ['POST', '/management/v1/workspaces/{workspace}/labels'],
  listLabels: ['GET', '/management/v1/workspaces/{workspace}/labels'],
  listLabelsOfEvent: ['GET', '/management/v1/workspaces/{workspace}/events/{event}/labels'],
  reportOutcome: ['POST', '/management/v1/workspaces/{workspace}/outcomes'],
  listOutcomes: ['GET', '/management/v1/workspaces/{workspace}/outcomes'],
  startBacktest: ['POST', '/management/v1/workspaces/{workspace}/backtests'],
  listBacktests: ['GET', '/management/v1/workspaces/{workspace}/backtests'],
  readBacktest: ['GET', '/management/v1/workspaces/{workspace}/backtests/{backtest}'],
  removeBacktest: ['DELETE', '/management/v1/workspaces/{workspace}/backtests/{backtest}'],
  listBacktestExamples: ['GET', '/management/v1/workspaces/{workspace}/backtests/{backtest}/examples'],
  cancelBacktest: ['POST', '/management/v1/workspaces/{workspace}/backtests/{backtest}/cancel'],
  listModels: ['GET', '/management/v1/workspaces/{workspace}/models'],
  startTraining: ['POST', '/management/v1/workspaces/{workspace}/trainings'],
  listTrainings: ['GET', '/management/v1/workspaces/{workspace}/trainings'],
  compareModels: ['POST', '/management/v1/workspaces/{workspace}/trainings/{training}/comparisons'],
  readTraining: ['GET', '/management/v1/workspaces/{workspace}/trainings/{training}'],
  removeTraining: ['DELETE', '/management/v1/workspaces/{workspace}/trainings/{training}'],
  readModelFile: ['GET', '/management/v1/workspaces/{workspace}/trainings/{training}/file'],
  cancelTraining: ['POST', '/management/v1/workspaces/{workspace}/trainings/{training}/cancel'],
  listHistories: ['GET', '/management/v1/workspaces/{workspace}/history'],
  removeHistory: ['DELETE', '/management/v1/workspaces/{workspace}/history/{history}'],
  listActions: ['GET', '/management/v1/workspaces/{workspace}/actions'],
  readAction: ['GET', '/management/v1/workspaces/{workspace}/actions/{action}'],
  redeliverAction: ['POST', '/management/v1/workspaces/{workspace}/actions/{action}/redeliver'],
  redeliverActions: ['POST', '/management/v1/workspaces/{workspace}/actions/redeliver'],
  releaseAction: ['POST', '/management/v1/workspaces/{workspace}/actions/{action}/release'],
  releaseActions: ['POST', '/management/v1/workspaces/{workspace}/actions/release'],
  dropAction: ['POST', '/management/v1/workspaces/{workspace}/actions/{action}/drop'],
  dropActions: ['POST', '/management/v1/workspaces/{workspace}/actions/drop'],
  triggerAction: ['POST', '/management/v1/workspaces/{workspace}/events/{event}/actions'],
  listHolds: ['GET', '/management/v1/workspaces/{workspace}/holds'],
  readHold: ['GET', '/management/v1/workspaces/{workspace}/holds/{hold}'],
  decideHold: ['POST', '/management/v1/workspaces/{workspace}/holds/{hold}/decision'],
  decideHolds: ['POST', '/management/v1/workspaces/{workspace}/holds/decisions'],
  undoHoldDecision: ['POST', '/management/v1/workspaces/{workspace}/holds/{hold}/undo'],
  answerHoldDecision: ['POST', '/management/v1/workspaces/{workspace}/holds/{hold}/second'],
  unblockClient: ['POST', '/management/v1/workspaces/{workspace}/clients/unblock'],
  eraseClient: ['POST', '/management/v1/workspaces/{workspace}/clients/erase'],
  listNotificationDestinations: ['GET', '/management/v1/workspaces/{workspace}/notifications'],
  createNotificationDestination: ['POST', '/management/v1/workspaces/{workspace}/notifications'],
  changeNotificationDestination: ['PATCH', '/management/v1/workspaces/{workspace}/notifications/{destination}'],
  removeNotificationDestination: ['DELETE', '/management/v1/workspaces/{workspace}/notifications/{destination}'],
  testNotificationDestination: ['POST', '/management/v1/workspaces/{workspace}/notifications/{destination}/test'],
  readNotificationChoice: ['GET', '/management/v1/session/notifications'],
  writeNotificationChoice: ['PUT', '/management/v1/session/notifications'],
  listRefused: ['GET', '/management/v1/workspaces/{workspace}/refused'],
  readIntegration: ['GET', '/management/v1/workspaces/{workspace}/integration'],
  testWebhook: ['POST', '/management/v1/workspaces/{workspace}/webhook/test'],
  enableWebhook: ['POST', '/management/v1/workspaces/{workspace}/webhook/enable'],
  readStatus: ['GET', '/management/v1/status'],
  pauseAll: ['POST', '/management/v1/deliveries/pause'],
  pauseWorkspace: ['POST', '/management/v1/workspaces/{workspace}/deliveries/pause'],
  resumeAll: ['POST', '/management/v1/deliveries/resume'],
  resumeWorkspace: ['POST', '/management/v1/workspaces/{workspace}/deliveries/resume'],
  listStreams: ['GET', '/management/v1/streams'],
  listAlerts: ['GET', '/management/v1/workspaces/{workspace}/alerts'],
  readAlertNumbers: ['GET', '/management/v1/workspaces/{workspace}/alerts/numbers'],
  readAlert: ['GET', '/management/v1/workspaces/{workspace}/alerts/{alert}'],
  readAlertFacts: ['GET', '/management/v1/workspaces/{workspace}/alerts/{alert}/facts'],
  claimNextAlert: ['POST', '/management/v1/workspaces/{workspace}/alerts/next'],
  claimAlert: ['POST', '/management/v1/workspaces/{workspace}/alerts/{alert}/claim'],
  releaseAlert: ['POST', '/management/v1/workspaces/{workspace}/alerts/{alert}/release'],
  claimAlerts: ['POST', '/management/v1/workspaces/{workspace}/alerts/claim'],
  commentAlert: ['POST', '/management/v1/workspaces/{workspace}/alerts/{alert}/comments'],
  listAnalysts: ['GET', '/management/v1/workspaces/{workspace}/analysts'],
  handOverAlert: ['POST', '/management/v1/workspaces/{workspace}/alerts/{alert}/hand-over'],
  handOverAlerts: ['POST', '/management/v1/workspaces/{workspace}/alerts/hand-over'],
  takeBackAlert: ['POST', '/management/v1/workspaces/{workspace}/alerts/{alert}/take-back'],
  closeAlert: ['POST', '/management/v1/workspaces/{workspace}/alerts/{alert}/close'],
  correctAlert: ['POST', '/management/v1/workspaces/{workspace}/alerts/{alert}/correct'],
  closeAlerts: ['POST', '/management/v1/workspaces/{workspace}/alerts/close'],
  suppressAlert: ['POST', '/management/v1/workspaces/{workspace}/alerts/{alert}/suppress'],
  suppressAlerts: ['POST', '/management/v1/workspaces/{workspace}/alerts/suppress'],
  listAlertSuppressions: ['GET', '/management/v1/workspaces/{workspace}/alert-suppressions'],
  endAlertSuppression: ['DELETE', '/management/v1/workspaces/{workspace}/alert-suppressions/{suppression}'],
  listAlertViews: ['GET', '/management/v1/workspaces/{workspace}/alert-views'],
  addAlertView: ['POST', '/management/v1/workspaces/{workspace}/alert-views'],
  changeAlertView: ['PATCH', '/management/v1/workspaces/{workspace}/alert-views/{view}'],
  removeAlertView: ['DELETE', '/management/v1/workspaces/{workspace}/alert-views/{view}'],
  listEventViews: ['GET', '/management/v1/workspaces/{workspace}/event-views'],
  addEventView: ['POST', '/management/v1/workspaces/{workspace}/event-views'],
  changeEventView: ['PATCH', '/management/v1/workspaces/{workspace}/event-views/{view}'],
  removeEventView: ['DELETE', '/management/v1/workspaces/{workspace}/event-views/{view}'],
  readOverview: ['GET', '/management/v1/workspaces/{workspace}/overview'],
  search: ['POST', '/management/v1/workspaces/{workspace}/search'],
  readEntity: ['GET', '/management/v1/workspaces/{workspace}/entities/{kind}/{ref}'],
  listPlaces: ['GET', '/management/v1/workspaces/{workspace}/entities/{kind}/{ref}/places'],
  listClientNotes: ['GET', '/management/v1/workspaces/{workspace}/clients/{client}/notes'],
  addClientNote: ['POST', '/management/v1/workspaces/{workspace}/clients/{client}/notes'],
  followWorkspace: ['GET', '/management/v1/workspaces/{workspace}/live'],
  readSessionOptions: ['GET', '/management/v1/session/options'],
  readSession: ['GET', '/management/v1/session'],
  openSession: ['POST', '/management/v1/session'],
  endSession: ['DELETE', '/management/v1/session'],
  openFirstSession: ['POST', '/management/v1/session/first'],
  acceptInvitation: ['POST', '/management/v1/session/invitation'],
  changePassword: ['PUT', '/management/v1/session/password'],
  changeOwnAccount: ['PATCH', '/management/v1/session/account'],
  beginSecondFactor: ['POST', '/management/v1/session/second-factor'],
  confirmSecondFactor: ['POST', '/management/v1/session/second-factor/confirm'],
  removeSecondFactor: ['POST', '/management/v1/session/second-factor/remove'],
  listAccounts: ['GET', '/management/v1/accounts'],
  createAccount: ['POST', '/management/v1/accounts'],
  readAccount: ['GET', '/management/v1/accounts/{account}'],
  changeAccount: ['PATCH', '/management/v1/accounts/{account}'],
  removeAccount: ['DELETE', '/management/v1/accounts/{account}'],
  inviteAccount: ['POST', '/management/v1/accounts/{account}/invite'],
  endAccountSessions: ['POST', '/management/v1/accounts/{account}/sessions/end'],
  endAccountSession: ['DELETE', '/management/v1/accounts/{account}/sessions/{session}'],
  removeAccountSecondFactor: ['POST', '/management/v1/accounts/{account}/second-factor/remove'],
  listTokens: ['GET', '/management/v1/tokens'],
  createToken: ['POST', '/management/v1/tokens'],
  revokeToken: ['POST', '/management/v1/tokens/{token}/revoke'],
  listAudit: ['GET', '/management/v1/audit'],
  listWorkspaceAudit: ['GET', '/management/v1/workspaces/{workspace}/audit'],
  verifyAudit: ['GET', '/management/v1/audit/verify'],
  exportAudit: ['GET', '/management/v1/audit/export'],
  exportWorkspaceAudit: ['GET', '/management/v1/workspaces/{workspace}/audit/export'],
} as const satisfies Readonly<Record<keyof Operations, readonly [string, string]>>;
