/** Leaves out the members of an object that are `undefined`, so that the others can be spread. Pure. */

/** `members` whose value may be `undefined`, without the ones that are. */
export type Present<Members> = {
  readonly [Key in keyof Members as undefined extends Members[Key] ? never : Key]: Members[Key];
} & {
  readonly [Key in keyof Members as undefined extends Members[Key] ? Key : never]?: Exclude<Members[Key], undefined>;
};

/** `{ ...present({ a, b }) }` has `a` and `b` only where they are not `undefined`. `null` is a value and stays. */
export function present<const Members extends object>(members: Members): Present<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<Members>;
}
