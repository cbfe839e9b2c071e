import { expect, test } from "bun:test";
import { destructiveWord } from "./destructive.ts";

test.each([
  ["rm -rf build", "-rf"],
  ["rm --recursive build", "--recursive"],
  ["/bin/rm -r x", "-r"],
  ["git push --force origin main", "--force"],
  ["git push -f", "-f"],
  ["git push --force-with-lease=main", "--force-with-lease=main"],
  ["git push origin +main", "+main"],
  ["git push origin :old", ":old"],
  ["git -C x -c a=b push -uf", "-uf"],
  ["git reset --hard HEAD~1", "--hard"],
  ["git clean -fdx", "-fdx"],
  ["git branch -D old", "-D"],
  ["git checkout -- .", "--"],
  ["git restore .", "restore"],
  ["git stash drop", "drop"],
  ["find . -name x -delete", "-delete"],
  ["docker system prune -a", "prune"],
  ["kubectl delete pod x", "delete"],
  ["terraform destroy", "destroy"],
  ["aws s3 rm s3://b --recursive", "rm"],
  ["dd if=a of=/dev/sda", "of=/dev/sda"],
  ["shred x", "shred"],
  ["mkfs.ext4 /dev/sda", "mkfs.ext4"],
])("%s is destructive because of %s", (command, word) => {
  const words = command.split(" ");
  expect(words[destructiveWord(words)!]).toBe(word);
});

test.each([
  "rm notes.txt",
  "git push origin main",
  "git reset HEAD~1",
  "git checkout main",
  "git branch -a",
  "git stash",
  "git clean -n",
  "git log --force",
  "npm run rm",
  "docker ps",
  "constructor --force",
  "",
])("%j is not", (command) => {
  expect(destructiveWord(command.split(" "))).toBeUndefined();
});
