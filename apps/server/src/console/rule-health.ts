import type { Pool } from 'pg';

/** How a rule performed under one version of the policy. */
export interface RuleHealth {
  readonly reason: number;
  /** How often it acted; fired in shadow; was suppressed; met a missing fact. As of the last checkpoint. */
  readonly fired: number;
  readonly shadow: number;
  readonly suppressed: number;
  readonly missing: number;
  /** Events on which it fired, live or in shadow, by label. */
  readonly fraud: number;
  readonly legitimate: number;
  /** Those of them on which it did not act because of a control group: no action of its own changed their outcome. */
  readonly controlFraud: number;
  readonly controlLegitimate: number;
}

/** The newest labels are read, so that the cost does not depend on their number. */
export const labelsMax = 5_000;

/** Every rule that did anything under a version, by its number. */
export async function readRuleHealth(pool: Pool, workspaceId: string, version: number): Promise<readonly RuleHealth[]> {
  const { rows } = await pool.query<RuleHealth>(
    `with counted as (
       select reason, fired, shadow, suppressed, missing from rule_health
        where workspace_id = $1 and policy_version = $2
     ), told as (
       select distinct on ("offset") "offset", label
         from (select "offset", label, record_offset from label
                where workspace_id = $1 order by record_offset desc limit ${labelsMax}) newest
        order by "offset", record_offset desc
     ), turned as (
       select r.reason, count(*) filter (where told.label = 'fraud') as fraud,
              count(*) filter (where told.label = 'legitimate') as legitimate,
              count(*) filter (where told.label = 'fraud' and r.reason = any (e.control)) as control_fraud,
              count(*) filter (where told.label = 'legitimate' and r.reason = any (e.control)) as control_legitimate
         from told
         join event e on e.workspace_id = $1 and e."offset" = told."offset" and e.policy_version = $2
        cross join unnest(e.fired || e.shadow) as r(reason)
        group by r.reason
     )
     select reason, coalesce(c.fired, 0) as fired, coalesce(c.shadow, 0) as shadow,
            coalesce(c.suppressed, 0) as suppressed, coalesce(c.missing, 0) as missing,
            coalesce(t.fraud, 0) as fraud, coalesce(t.legitimate, 0) as legitimate,
            coalesce(t.control_fraud, 0) as "controlFraud", coalesce(t.control_legitimate, 0) as "controlLegitimate"
       from counted c full join turned t using (reason) order by reason`,
    [workspaceId, version],
  );
  return rows;
}
