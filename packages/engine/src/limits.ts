import { dayMs, minuteMs, secondMs } from '@ringfence/contract';
import { capCountMax } from '@ringfence/policy/cap-count';

/*
 * Every bound of the engine. Bounds count things, never the time that work takes: replay on a slower machine must
 * decide the same.
 */

/**
 * How far before its arrival an operation's own time is accepted, ms: banks upload what a branch did offline within a
 * day.
 */
export const eventLateMsMax = dayMs;
/** How far after its arrival an operation's own time is accepted, ms: the clock skew of two unattended servers. */
export const eventEarlyMsMax = 5 * minuteMs;
/** Maximum of `sessionGrace`, ms (DESIGN §7). */
export const sessionGraceMsMax = minuteMs;
/**
 * State is kept for this long beyond the window, ms, so that a late event sees its whole window, even if it waited for
 * its login first.
 */
export const lateReachMs = eventLateMsMax + sessionGraceMsMax;

/** A byte-equal login or logout within this time of the first is a retry, ms: the time-outs of HTTP clients. */
export const entryRetryMs = 10 * secondMs;
/**
 * A byte-equal operation with a reference within this time of the first is a retry, ms. Also the window of
 * `event.repeats`.
 */
export const repeatReachMs = dayMs;
/**
 * Distinct bodies remembered per client to detect repeats, about 100 bytes each: more than a payroll run sends between
 * a call and its retry.
 */
export const repeatBodiesMax = 1_024;
/** Times remembered per body, and so the maximum of `event.repeats`. */
export const repeatsPerBodyMax = 64;

/** Payments held at a time per workspace, about 1 KiB each; beyond it the hold that is due first ends unresolved. */
export const holdsMax = 4_096;
/** The shortest time of a hold, ms: the policy language's own bound. */
export const holdMsMin = minuteMs;
/** Operations of one hold: its first one and its repeats. Beyond it a repeat opens a hold of its own. */
export const holdMembersMax = 64;
/** Rejected payments that are remembered per workspace, to hold them again. */
export const rejectedMax = 4_096;
/** How long a rejected payment is held again, ms, unless the workspace sets another time. */
export const heldAgainMs = dayMs;
/** A payment that is kept ends unresolved after this time, ms: the bank's own systems have ended it long before. */
export const keptMsMax = 30 * dayMs;
/** A longer time without a record, ms, while a payment may be released by itself: no person could have decided in it. */
export const outageMsMin = 5 * minuteMs;
/** While a payment may be released by itself, there is a record at least this often, ms. */
export const watchMs = minuteMs;
/** Position of the action that ends a hold, added to that of the action that held: a rule has at most five actions, and those by hand begin at 1,000. */
export const endingPosition = 100;

/**
 * How long a device token is remembered, ms: ingest accepts one for 15 minutes, from clocks that are up to 5 minutes
 * ahead, and a record may wait for the log.
 */
export const tokenReachMs = 30 * minuteMs;
/**
 * Device tokens remembered per workspace, about 60 bytes each: 36 logins a second for that time. The oldest are
 * forgotten first.
 */
export const tokensMax = 65_536;

/**
 * Devices remembered per client, about 500 bytes each: what a person uses in some years. The least recently used is
 * forgotten first.
 */
export const knownDevicesMax = 16;
/**
 * Addresses, networks and countries remembered per client, 8 bytes each: a phone has a new address every day, but few
 * networks.
 */
export const familiarAddressesMax = 32;
export const familiarNetworksMax = 32;
export const familiarCountriesMax = 16;
/**
 * Logins of a client whose habits are counted; then all counts are halved. With at most 6 values a login, and 6 bytes
 * for each, a client has some 250 bytes, and 2.5 KiB if each login is different.
 */
export const habitLoginsMax = 64;
/** The same for all logins of a workspace: some weeks of a bank with a few thousand logins a day. */
export const everybodysLoginsMax = 131_072;
/** Counters of each of two rows that count what all clients of a workspace show: together 128 KiB. */
export const everybodysCells = 16_384;
/** Values of one device trait that are counted per workspace; beyond it the rarest are forgotten. */
export const traitValuesMax = 512;

/**
 * Distinct clients that must have used a version of a browser before it counts as in use: an attacker does not spend
 * that many stolen passwords on it.
 */
export const browserClientsMin = 10;
/** How long they count, ms: browsers release a version each month, and forged versions expire. */
export const browserReachMs = 30 * dayMs;
/**
 * Browsers per workspace whose versions are counted, and versions of each: ingest names six. Together at most 30 KB.
 */
export const browsersMax = 8;
export const browserVersionsMax = 24;

/** Clients, and overflows of crowded feature entities, that are kept as objects of a few KiB; the others are packed. */
export const inUseMax = 16_384;
/** Feature entities that stay in use regardless of memory, about 4 KiB each in a workspace with few busy clients. */
export const featuresInUseMax = 98_304;
/** Share of the entity memory up to which all feature entities stay in use; above it, the others are put to rest. */
export const roomyShare = 3 / 4;
/** The same for the default entity memory, 1 GiB. */
export const roomyBytes = roomyShare * 2 ** 30;

/** Sessions remembered per client, about 100 bytes each: a company account with every clerk logged in. */
export const sessionsMax = 64;
/** Ended sessions among these: enough to recognise that the session of a late operation was closed. */
export const endedSessionsMax = 8;
/** Cooldowns remembered per client: rules times concurrent sessions. */
export const cooldownsMax = 256;
/** Actions 1 and 2, and step-ups, per client whose outcome is awaited; the oldest is forgotten first. */
export const awaitedActionsMax = 256;
/** How long after its decision the result of a step-up counts, ms: a person confirms at once or not at all. */
export const stepUpReachMs = 15 * minuteMs;
/** Results of step-ups remembered per client, about 10 bytes each: more than a person repeats in a day. */
export const stepUpsMax = 32;
/** How long results of step-ups and the last outcome of a client are remembered, ms: the longest window of a feature. */
export const outcomeReachMs = 90 * dayMs;
/** Operations that wait for their login, per workspace, about 1 KiB each; beyond it they are decided immediately. */
export const waitingMax = 8_192;
/** Times remembered per rule for `maxActions`, 8 bytes each; a larger cap acts like this one. */
export const actionTimesMax = capCountMax;
/**
 * Times of the last day that are remembered even if the cap counts fewer, so that a later, larger cap can count them.
 */
export const rememberedTimes = { ofRule: 1_024, ofClient: 100 } as const;

/** Records stepped together: more are no faster, and the event loop is blocked for all of them. */
export const togetherMax = 8;

/** Items of all live lists of a workspace together, about 60 bytes each; they are part of every checkpoint. */
export const liveItemsMax = 100_000;
/** Suppressions of a workspace, about 100 bytes each; they are part of every checkpoint. */
export const suppressionsMax = 10_000;

/**
 * Rows kept per feature entity, about 40 bytes each; older ones are merged into buckets. Windows over fewer rows are
 * exact.
 */
export const rowsMax = 4_096;
/** Share of `rowsMax` that is moved at a time, 64 rows: moving all of them would delay every other event. */
export const movedShare = 1 / 64;
/** Each feature's buckets are merged at every eighth move of rows, so that not all features merge at the same one. */
export const mergeTurns = 8;
/** Buckets per feature that stay single rows before merging begins: a rare feature next to a busy one stays exact. */
export const exactBucketsMax = 1_024;
/** A bucket contains at most this share of everything newer; half of it is the error at the edge of a window. */
export const bucketShareMax = 0.01;
/** Values that a bucket counts: the share of one is too low by less than 1/256 of the bucket. */
export const countedValuesMax = 256;
/** Distinct values kept per entity and feature; beyond it every second one is sampled, standard error below 0.4 %. */
export const distinctValuesMax = 131_072;
/** Half-lives without an event after which a profile begins again: its old content would weigh a thousandth. */
export const profileHalfLivesMax = 10;
/** Events before a profile reports a deviation: fewer have no meaningful spread. */
export const profileEventsMin = 5;
/** Minimum of a profile's deviation, as a share of its mean. */
export const profileSpreadMin = 0.01;
/** Currencies per profile; the least recently seen one is forgotten. */
export const profileCurrenciesMax = 16;
/** Currencies whose last value is kept when there are too many rows. */
export const previousCurrenciesMax = 16;
/** Events labelled as fraud that are kept per entity and feature, 16 bytes each; beyond it the oldest are forgotten. */
export const labelledMax = 16_384;
/**
 * Rows of a window up to which a feature is computed by a scan: maintaining a moving window costs more than reading
 * these.
 */
export const scannedRowsMax = 48;
/** Rows after which an entity is first searched for rows that no feature needs. */
export const sweepRowsMin = 32;
