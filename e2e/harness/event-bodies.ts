/** Bodies of the three events, complete enough for every check of ingestion. */
export interface Visit {
  readonly client: string;
  readonly session: string;
}

export function login({ client, session }: Visit): object {
  return { channelId: 1, user: client, session, publicIp: '203.0.113.9', data: '' };
}

export function logout({ client, session }: Visit): object {
  return { channelId: 1, user: client, session };
}

export interface OperationParts extends Visit {
  readonly category: string;
  readonly reference: string;
  readonly amount?: number;
}

export function operation({ client, session, category, reference, amount = 120.5 }: OperationParts): object {
  return {
    channelId: 1,
    timestamp: new Date().toISOString(),
    transaction: { category, type: 'spei', reference },
    account: { client, session, accountNumber: '012180001234567897', bank: 'BANK-A' },
    order: { amount, currency: 'MXN' },
    accountTo: { accountNumber: '002180009876543210', bank: 'BANK-B' },
  };
}
