// Runs the portable core in Node and prints what each scene ends in.
import { readFile } from "node:fs/promises";

const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]), {});
const { scenes, fingerprint } = instance.exports;
for (let scene = 0; scene < scenes(); scene += 1) {
  console.log(BigInt.asUintN(64, fingerprint(scene)).toString(16).padStart(16, "0"));
}
