/**
 * The definition of a flow, for everything outside its workflow code: its input and how it is read, its settings, its result,
 * its default id, and how a run is shown. `flows/` has one definition per file. Starters, `tramita start`, schedules and the
 * reading of inputs in workflow code are derived from it. Pure: keys come from the caller.
 */
import { formatCnj, type Cnj } from '../contract/values/index.js';
import {
  COMMON_MEMBERS,
  commonSettings,
  namesProblem,
  type CommonInput,
  type CommonSettings,
} from './inputs/common.js';
import { exactProblem } from './inputs/exact-json.js';
import { guard, objectMembers, readMembers, type Member, type Parsed, type ReadMembers } from './inputs/members.js';

/** How personal data and masked case numbers become names. */
export interface Naming {
  /** Keyed HMAC. */
  readonly token: (kind: string, value: unknown) => string;
  /** Does this account mask case numbers? Default: no. */
  readonly masksCnj?: (account: string) => boolean;
}

/** Where a flow is found and how it is shown. Personal data only as tokens. */
export interface FlowPlace {
  /** Parts of the default workflow id behind prefix and account. Only the last may have a dot: ids stay unambiguous. */
  readonly id: readonly string[];
  readonly summary: string;
  /** The case number (or its token) where the flow is about one case. */
  readonly caseAttribute?: string | undefined;
}

/** One start, with everything that follows from its input. */
export interface FlowPlan extends Omit<FlowPlace, 'id'> {
  readonly settings: CommonSettings;
  readonly workflowId: string;
  /** Default id of versions before dots: a run may still have it (docs/decisions/0035). */
  readonly oldWorkflowId: string;
}

export interface FlowDefinition<Input, Settings, Result> {
  /** First part of its default workflow id. */
  readonly idPrefix: string;
  /** It makes sense to run it again and again, because it reads what is new: `tramita schedule` takes it. */
  readonly scheduled: boolean;
  /** How each member of the input is read. */
  readonly members: Readonly<Record<string, Member<unknown>>>;
  /** `problem` names the member, what was seen and what is expected. */
  readonly parse: (input: unknown) => Parsed<Settings>;
  /** What a start with this input would be. */
  readonly plan: (input: unknown, naming: Naming) => Parsed<FlowPlan>;
  /** Only for the compiler: no value has it. */
  readonly types?: { readonly input: Input; readonly settings: Settings; readonly result: Result };
}

/** What each file of `flows/` declares. */
interface FlowParts<Members, Own> extends Pick<FlowDefinition<never, never, never>, 'idPrefix'> {
  readonly scheduled?: true;
  /** An input as JSON text, for problems. */
  readonly example: string;
  readonly members: Members;
  /** Rules that concern several members. What it returns is the flow's own part of the settings. */
  readonly combine?: (read: ReadMembers<Members>) => Own;
  readonly place: (settings: CommonSettings & Readonly<Own>, naming: Naming) => FlowPlace;
}

/** Every member of the input beside the common ones, and no other. */
type MembersOf<Input> = { readonly [Name in Exclude<keyof Input, keyof CommonInput>]-?: Member<unknown> };
type NoOthers<Members, Input> = { readonly [Name in Exclude<keyof Members, keyof Input>]: never };

/** `defineFlow<Input, Result>()({ … })`: both types are written out for users; the settings are inferred from the members. */
export function defineFlow<Input extends CommonInput, Result>() {
  return <Members extends MembersOf<Input>, Own extends object = ReadMembers<Members>>(
    parts: FlowParts<Members & NoOthers<Members, Input>, Own>,
  ): FlowDefinition<Input, CommonSettings & Readonly<Own>, Result> => {
    const { idPrefix, scheduled = false, example, combine, place } = parts;
    const members = { ...parts.members, ...COMMON_MEMBERS };
    const parse = (input: unknown): Parsed<CommonSettings & Readonly<Own>> =>
      guard(() => {
        const given = objectMembers(input, Object.keys(members), example);
        const read = readMembers(parts.members, given);
        const common = commonSettings(given);
        return { ...common, ...((combine?.(read) ?? read) as Own) };
      });
    return {
      idPrefix,
      scheduled,
      members,
      parse,
      plan: (input, naming) => {
        const parsed = parse(input);
        if (!parsed.ok) return parsed;
        const refused = namesProblem(input) ?? exactProblem(input);
        if (refused !== undefined) return { ok: false, problem: refused };
        const settings = parsed.value;
        const { id, ...shown } = place(settings, naming);
        const idParts = [idPrefix, settings.account, ...id];
        return {
          ok: true,
          value: { ...shown, settings, workflowId: idParts.join('.'), oldWorkflowId: idParts.join('/') },
        };
      },
    };
  };
}

/** Default workflow id of a flow, from its parts after the prefix. */
export function workflowIdOf(
  { idPrefix }: Pick<FlowDefinition<never, never, never>, 'idPrefix'>,
  ...parts: readonly string[]
): string {
  return [idPrefix, ...parts].join('.');
}

/** How a case is shown: its number, or its token if the account masks. `key`: the same for ids and `TramitaCase`. */
export function nameCase(
  { token, masksCnj }: Naming,
  account: string,
  cnj: Cnj,
): { readonly key: string; readonly label: string } {
  if (masksCnj?.(account) !== true) return { key: cnj, label: formatCnj(cnj) };
  const key = token('case', cnj);
  return { key, label: `case ${key}` };
}
