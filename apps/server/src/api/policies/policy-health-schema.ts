import type { TestReport } from '@ringfence/engine';
import { Type } from 'typebox';
import { labelsMax, type RuleHealth } from '../../console/rule-health.ts';
import { count, documenting, flag, list, nonPersonalWord } from '../server/members.ts';

export const ruleHealthSchema = documenting<RuleHealth>(
  Type.Object(
    {
      reason: count('The rule.', 301),
      fired: count('How often it fired and acted, as of the last checkpoint of the engine.', 42),
      shadow: count('How often it fired in shadow.', 0),
      suppressed: count(
        'How often it fired without acting: within its cooldown, suppressed by a person, or in a control group.',
        3,
      ),
      missing: count('How often its condition lacked a fact.', 0),
      fraud: count(`Events on which it fired that are labelled fraud, of the newest ${labelsMax} labels.`, 12),
      legitimate: count('Those that are labelled legitimate.', 2),
      controlFraud: count(
        'Those labelled fraud on which it did not act because they are in the control group of a model: its own actions did not change what they turned out to be.',
        0,
      ),
      controlLegitimate: count('Those of the control group that are labelled legitimate.', 0),
    },
    { title: 'RuleHealth' },
  ),
);

export const testedPolicySchema = Type.Object(
  {
    tests: list(
      documenting<TestReport>(
        Type.Object(
          {
            name: nonPersonalWord('Its name.', 'the sixth payment of the burst'),
            file: nonPersonalWord('The file that contains it.', 'rules.yaml'),
            line: count('Its line, from 1.', 40),
            passed: flag('Whether everything came as expected.'),
            differences: list(
              nonPersonalWord('In words.', 'rule 301 was expected at +5s, and did not fire'),
              'What was expected but missing, or came unexpectedly.',
              [],
            ),
            fired: list(count('`reason` of a rule.', 301), 'Rules that fired.'),
            missed: list(
              count('`reason` of a rule.', 302),
              'Rules that would have fired with one condition part less.',
            ),
          },
          { title: 'PolicyTestReport' },
        ),
      ),
      'In the order of the files.',
    ),
    unfired: list(
      count('`reason` of a rule.'),
      'Rules that no test fires. Rules of packs are excluded: their tests stay with the packs.',
      [],
    ),
    unmissed: list(
      count('`reason` of a rule.', 302),
      'Rules without a test in which they just do not fire; rules of packs are excluded.',
    ),
  },
  { title: 'TestedPolicy' },
);
