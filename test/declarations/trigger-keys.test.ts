import fc from "fast-check";
import { childKey, segmentsOf } from "../../src/declarations/trigger-keys";

test("a key has the meaning that it was made from, for any names of elements", () => {
  const name = fc.oneof(fc.constantFrom("default", "3", "a.b", 'a"b', "a]b", "[", "\\", ".", "é"), fc.string({ minLength: 1 }));
  const segment = fc.oneof(name, fc.nat(99));
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 4 }), (rest) => {
      const path = ["workers", ...rest];
      expect(segmentsOf(path.reduce<string>(childKey, ""))).toEqual(path);
    }),
  );
});

test.each([
  ["workers.default.count", ["workers", "default", "count"]],
  ["workers[2].count", ["workers", 2, "count"]],
  ['templates["ubuntu-22.04"].kubernetesVersion', ["templates", "ubuntu-22.04", "kubernetesVersion"]],
  ["", []],
  ["workers[", ["workers"]],
])("%s is read as %j", (key, expected) => {
  expect(segmentsOf(key)).toEqual(expected);
});
