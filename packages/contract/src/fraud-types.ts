/**
 * The types of fraud that every workspace has, by the names of two models of the Federal Reserve: `fraud.` of the
 * FraudClassifier, `scam.` of the ScamClassifier. A workspace can add its own.
 */
export const fraudTypes = [
  'fraud.compromisedCredentials',
  'fraud.impersonatedParty',
  'fraud.digitalPayment',
  'fraud.physicalForgery',
  'fraud.physicalAlteration',
  'fraud.productsAndServices',
  'fraud.relationshipAndTrust',
  'fraud.embezzlement',
  'fraud.falseClaim',
  'fraud.syntheticIdentity',
  'scam.merchandise',
  'scam.investment',
  'scam.propertyRental',
  'scam.job',
  'scam.romanceImpostor',
  'scam.governmentImpostor',
  'scam.bankImpostor',
  'scam.businessImpostor',
  'scam.relativeOrFriendImpostor',
] as const;

/** A type of fraud that a bank defines. */
export interface OwnFraudType {
  /** As in `type` of an outcome. */
  readonly code: string;
  /** For people. */
  readonly name: string;
}
