import { existsSync } from 'node:fs';
import { masterKeyPath } from '../../platform/secrets/master-keys.ts';
import { readKeysOfDatabase } from '../../platform/secrets/sealing-key.ts';
import { type KeyUse, readKeyUses } from '../../tenancy/workspaces/reseal.ts';
import type { OpenInstallation } from '../open-installation.ts';
import { counted } from '../print.ts';
import { bad, type Finding, good, unwise } from './finding.ts';

const rotate = 'ringfence master-key rotate';

/** Checks which secrets each master key encrypts, and whether a replaced key is still needed. */
export async function checkMasterKeys({ pool, master }: OpenInstallation): Promise<readonly Finding[]> {
  const { sealing, retiredAt } = await readKeysOfDatabase(pool);
  const uses = await readKeyUses(pool);
  const under = uses.find(({ masterKeyId }) => masterKeyId === sealing);
  const findings = [good('master key', `${sealing}, from ${master.where}; it encrypts ${what(under)}`)];
  for (const use of uses) {
    if (use.masterKeyId === sealing) continue;
    const detail = `${what(use)} are still encrypted with ${use.masterKeyId}, which was replaced`;
    const mend = master.get(use.masterKeyId) === undefined ? `Add ${use.masterKeyId} to the present key, then: ` : '';
    findings.push(bad('master key', detail, `${mend}${rotate}`));
  }
  const path = masterKeyPath(master.source.home);
  if (master.from !== 'file' && existsSync(path)) {
    findings.push(
      unwise('master key', `${path} exists, but ${master.where} is used`, `Keep a copy apart, and remove ${path}.`),
    );
  }
  for (const { id } of master.all()) {
    if (id === sealing || uses.some(({ masterKeyId }) => masterKeyId === id)) continue;
    findings.push(
      retiredAt.has(id)
        ? unwise('master key', `${id} was replaced, but ${master.where} still contains it`, remove(master.from, id))
        : unwise('master key', `${id} is meant to replace ${sealing}, but encrypts nothing yet`, rotate),
    );
  }
  return findings;
}

function remove(from: OpenInstallation['master']['from'], id: string): string {
  return from === 'file' ? rotate : `Remove ${id}, and restart every process.`;
}

function what(use: KeyUse | undefined): string {
  const factors = (use?.secondFactors ?? 0) === 0 ? '' : ` and ${counted(use!.secondFactors, 'second factor')}`;
  return `${counted(use?.secrets ?? 0, 'secret')} and ${counted(use?.licenseKeys ?? 0, 'license key')}${factors}`;
}
