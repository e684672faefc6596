//! The table: extension, source, and what is found as `path | first line | last line`.

pub(super) const CASES: &[(&str, &str, &str)] = &[
    (
        "rs",
        r##"//! Retries requests.
//! With a pause.

use std::fmt;

/// How often.
#[derive(Debug)]
pub struct Retry {
    /// At most.
    pub max: usize,
}

impl<T> Retry<T> {
    /// The pause before
    /// the next try.
    #[must_use]
    pub(crate) fn backoff(
        &self,
        n: [u8; 2],
    ) -> u8 {
        fn hidden() {}
        /// Shown, for it has a comment.
        fn nested() {}
        let s = "pub fn not_me() {}";
        let r = r#"pub fn nor" me() { {"#;
        let c = '{'; let l: &'a str = 'x';
        /* pub fn comment() { /* nested { */ */
    }
    fn private(&self) {}
    pub const fn public() -> u8 { 0 }
}
fn alone() {}
pub const LIMIT: usize = 3;
cfg_if! { if #[cfg(unix)] {
    pub fn on_unix() {}
} }
extern "C" {
    pub fn puts(s: *const u8);
}
pub trait Store {
    fn get(&self) -> u8;
}
macro_rules! gen { () => { pub fn generated() {} } }
pub mod inner {
    //! About inner.
    pub type Name = String;
}
"##,
        r#"
 | //! Retries requests. | //! With a pause.
struct Retry | /// How often. | }
impl Retry<T> > fn backoff | impl<T> Retry<T> { | }
impl Retry<T> > fn private, public | fn private(&self) {} | pub const fn public() -> u8 { 0 }
fn alone | fn alone() {} | fn alone() {}
const LIMIT | pub const LIMIT: usize = 3; | pub const LIMIT: usize = 3;
 | cfg_if! { if #[cfg(unix)] { | } }
extern "C" > fn puts | extern "C" { | pub fn puts(s: *const u8);
trait Store | pub trait Store { | pub trait Store {
trait Store > fn get | fn get(&self) -> u8; | fn get(&self) -> u8;
macro_rules gen | macro_rules! gen { () => { pub fn generated() {} } } | macro_rules! gen { () => { pub fn generated() {} } }
mod inner > type Name | pub mod inner { | pub type Name = String;
"#,
    ),
    ("rs", "", ""),
    (
        "rs",
        r"// Copyright 2020 Somebody.
// Licensed under the MIT license.

// Words about this whole file.

use a::b;

/// Doc.
fn f() {}",
        r"
 | // Words about this whole file. | // Words about this whole file.
fn f | /// Doc. | fn f() {}
",
    ),
    (
        "rs",
        r"use a::b;
#[cfg(test)]
use c::d;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first() {
        let a = 1;
        assert!(a == 1);
    }

    // -- Others --

    /// Says it.
    fn second() {}
}

const A: u8 = 1;
const B: u8 = 2;
static C: u8 = 3;

let_it_be! { one, two, three }
",
        r"
mod tests > fn first | #[cfg(test)] | }
mod tests > fn second | /// Says it. | fn second() {}
const A, B, static C | const A: u8 = 1; | static C: u8 = 3;
 | let_it_be! { one, two, three } | let_it_be! { one, two, three }
",
    ),
    (
        "py",
        r#"#!/usr/bin/env python3
"""Parse things
quickly."""
import os

# What it is about.
@dataclass(
    frozen=True,
)
class Point:
    x: int
    # def no(): pass
    y: int = 0

class Shape(Base):
    "A shape."

    @property
    async def area(self, a=":", b={1: 2}) -> "int":
        """Returns the
        area."""
        def helper(): pass
        def told():
            """Says why."""
        s = """
def fake():
    '''x'''
"""
    def _hidden(self): pass
    if True:
        def shown(self): return 1
def last(): return "x"

class Options(TypedDict, total=False):
    name: str
    size: int
"#,
        r#"
 | #!/usr/bin/env python3 | quickly."""
class Point | # What it is about. | x: int
class Point > y | # def no(): pass | y: int = 0
class Shape | class Shape(Base): | "A shape."
class Shape > def area | @property | """
class Shape > def _hidden | def _hidden(self): pass | def _hidden(self): pass
class Shape | if True: | def shown(self): return 1
def last | def last(): return "x" | def last(): return "x"
class Options | class Options(TypedDict, total=False): | size: int
"#,
    ),
    (
        "py",
        r"import os

LIMIT = 3
NAMES = [
    'a',
]

class HttpClient(Base):
    retries = 3
    timeout: int = 5

    def __init__(self):
        self.a = 1
        self.b = 2
        self.c = 3

    def get(self, url):
        return self.send('GET', url)

    def put(self, url):
        return self.send('PUT', url)

if __name__ == '__main__':
    client = HttpClient()
    client.get('https://example.org')
",
        r"
LIMIT, NAMES | LIMIT = 3 | ]
class HttpClient | class HttpClient(Base): | timeout: int = 5
class HttpClient > def __init__ | def __init__(self): | self.c = 3
class HttpClient > def get, put | def get(self, url): | return self.send('PUT', url)
 | if __name__ == '__main__': | client.get('https://example.org')
",
    ),
    (
        "js",
        r#"'use strict'
/**
 * Helpers for dates.
 */

/** Adds days. */
export function add({ a, b = "}" }, c = () => {}) {
  // function no() {}
  const re = /[/"`{]/, t = `${`function x() {`} {`
  if (a) { return /{/ }
  helper(function () {})
}
const sub = async (x) => {
}
export const mul = (x) => x
export const LIMIT = 3
const hidden = 4
class Box extends Base {
  #size = 1
  constructor(a) {
    super(a)
  }
  static async open(path) { }
  get size() { return 1 }
  _secret() {}
}
exports.make = function (a) {
}
module.exports = {
  /** Runs it. */
  run(a) { },
  // Stops at once.
  stop: function () { },
}
foo(1, 2)
"#,
        r"
 | 'use strict' | */
function add | /** Adds days. */ | }
const sub, mul | const sub = async (x) => { | export const mul = (x) => x
const LIMIT, hidden | export const LIMIT = 3 | const hidden = 4
class Box | class Box extends Base { | #size = 1
class Box > constructor, open, size, _secret | constructor(a) { | _secret() {}
exports.make | exports.make = function (a) { | }
module.exports | module.exports = { | }
",
    ),
    (
        "js",
        r"/**
 * About the file.
 */

var res = Object.create(proto)

/**
 * Sets the type.
 */

res.contentType =
res.type = function type(a) {
  var b = a
  return b
}
",
        r"
 | /** | */
var res | var res = Object.create(proto) | var res = Object.create(proto)
res.contentType | /** | }
",
    ),
    (
        "tsx",
        r"// Shows things on the screen.

import { a } from 'b'

export interface Props<T> {
  /** Its name. */
  name: string
  size?: number
}
export type Mode =
  | 'a'
  | 'b'
type Pair = {
  one: string
}
export enum Level { Low, High }
/** Draws it. */
export const View = ({ name }: Props<A>): JSX.Element => {
  return <p>don't {name}</p>
}
export default class App {
  private x = 1
  readonly y: number = 2
  @Input() render<T>(a: T): void {
  }
  abstract go(): void
}
declare module 'x' {
  export function f(a: string): void
}
export default function main(): void {}
",
        r"
 | // Shows things on the screen. | // Shows things on the screen.
interface Props | export interface Props<T> { | }
type Mode, Pair | export type Mode = | }
enum Level | export enum Level { Low, High } | export enum Level { Low, High }
const View | /** Draws it. */ | }
class App | export default class App { | readonly y: number = 2
class App > render, go | @Input() render<T>(a: T): void { | abstract go(): void
module 'x' > function f | declare module 'x' { | export function f(a: string): void
function main | export default function main(): void {} | export default function main(): void {}
",
    ),
    (
        "go",
        r#"// Package retry tries again.
package retry

import "fmt"

// Retry says how often.
type Retry struct {
	Max int // at most
}

// Limits of the thing.
const (
	Low = 1
	High = 2
)

var hidden = `func No() {`

func (r *Retry) Backoff(
	n int,
) (int, error) {
	f := func() { }
}
func private() {}
type Reader interface {
	Read(p []byte) (n int, err error)
}
func Map[T any](a []T) []T { return a }
"#,
        r"
package retry | // Package retry tries again. | package retry
type Retry | // Retry says how often. | }
const Low, High | // Limits of the thing. | )
var hidden | var hidden = `func No() {` | var hidden = `func No() {`
func Retry.Backoff | func (r *Retry) Backoff( | }
func private | func private() {} | func private() {}
type Reader | type Reader interface { | }
func Map | func Map[T any](a []T) []T { return a } | func Map[T any](a []T) []T { return a }
",
    ),
    (
        "java",
        r#"/*
 * Licensed under the Apache License
 */
package org.x;

import java.util.List;

/**
 * A store of things.
 */
@Service("x")
public class Store<T> extends Base implements A, B {
    private static final int SIZE = 3;
    /** The names. */
    private List<String> names = new ArrayList<>();

    /** Makes one. */
    public Store(int a) { this.a = a; }

    @Override
    @Nullable public Map<String, List<T>> get(
            final String key, int... more) throws IOException {
        String s = "public void no() {";
        if (a) { return call(b); }
        new Thread() { public void run() { } };
    }
    void hidden() {}
    protected abstract int size();
    public record Pair(int a, int b) { }
    enum Color { RED, GREEN }
    public @interface Mark { String value() default ""; }
}
"#,
        r#"
class Store | /** | private static final int SIZE = 3;
class Store > names | /** The names. */ | private List<String> names = new ArrayList<>();
class Store > Store | /** Makes one. */ | public Store(int a) { this.a = a; }
class Store > get | @Override | }
class Store > hidden, size | void hidden() {} | protected abstract int size();
class Store > record Pair, enum Color, @interface Mark | public record Pair(int a, int b) { } | public @interface Mark { String value() default ""; }
"#,
    ),
    (
        "kt",
        r#"package a.b

/** A user. */
data class User(
    val name: String,
    val tags: List<String> = listOf("}"),
)

sealed interface Result {
    val code: Int
    fun <T> map(f: (T) -> T): Result
}
enum class Color { RED, GREEN }
object Registry {
    private val all = mutableMapOf<String, String>()
    fun find(key: String): String? = all["${key["a"]}"]
    private fun no() {}
}
suspend fun String.twice(): String =
    this + this
"#,
        r#"
class User | /** A user. */ | )
interface Result | sealed interface Result { | val code: Int
interface Result > fun map | fun <T> map(f: (T) -> T): Result | fun <T> map(f: (T) -> T): Result
enum Color | enum class Color { RED, GREEN } | enum class Color { RED, GREEN }
object Registry | object Registry { | private val all = mutableMapOf<String, String>()
object Registry > fun find, no | fun find(key: String): String? = all["${key["a"]}"] | private fun no() {}
fun String.twice | suspend fun String.twice(): String = | this + this
"#,
    ),
    (
        "scala",
        r"package a

/** Counts words. */
case class Count(word: String, n: Int = 0) extends Base with Other {
  def add(m: Int)(implicit c: Ctx): Count = {
    def local = 1
    copy(n = n + m)
  }
  private val x = 'a'
}
object Main extends App {
  val Limit: Int = 3
}
sealed trait Tree[+A]
",
        r"
class Count | /** Counts words. */ | case class Count(word: String, n: Int = 0) extends Base with Other {
class Count > def add | def add(m: Int)(implicit c: Ctx): Count = { | }
class Count > val x | private val x = 'a' | private val x = 'a'
object Main | object Main extends App { | val Limit: Int = 3
trait Tree | sealed trait Tree[+A] | sealed trait Tree[+A]
",
    ),
    (
        "cs",
        r#"// Sends mail to people.
using System;

namespace A.B
{
    /// <summary>A sender.</summary>
    [Serializable]
    public sealed class Sender : Base, IDisposable
    {
        #region x
        private readonly int n = 3;
        public string Name { get; set; } = "}";
        public Sender(string s) : base(s) { }
        public async Task<int> SendAsync<T>(
            T item, [Optional] int n = 3) where T : class
        {
            var s = @"public ""void"" { \";
            var t = $"{item["}"]} {{";
            return await Go(s);
        }
        void Hidden() { }
        #endregion
    }
    public record Point(int X, int Y);
    public interface IStore
    {
        int Get(string key);
    }
}
"#,
        r#"
 | // Sends mail to people. | // Sends mail to people.
namespace A.B > class Sender | namespace A.B | public string Name { get; set; } = "}";
namespace A.B > class Sender > Sender | public Sender(string s) : base(s) { } | public Sender(string s) : base(s) { }
namespace A.B > class Sender > SendAsync | public async Task<int> SendAsync<T>( | }
namespace A.B > class Sender > Hidden | void Hidden() { } | void Hidden() { }
namespace A.B > record Point | public record Point(int X, int Y); | public record Point(int X, int Y);
namespace A.B > interface IStore | public interface IStore | public interface IStore
namespace A.B > interface IStore > Get | int Get(string key); | int Get(string key);
"#,
    ),
    (
        "swift",
        r##"import Foundation

/// A point.
public struct Point: Codable {
    let x: Int
}
extension Point: Equatable {
    /// Adds two points.
    static func add(_ a: Point, to b: Point = .zero) throws -> Point {
        let s = "\(f("func no() {")) {"
        let r = #"a " func no() {"#
        return a
    }
    private func hidden() {}
    public init?(x: Int) { }
}
@MainActor final class Model: ObservableObject {
    @Published var name: String = ""
    func load() async { }
}
protocol Store { func get() -> Int }
"##,
        r#"
struct Point | /// A point. | let x: Int
extension Point: Equatable > func add | extension Point: Equatable { | }
extension Point: Equatable > func hidden, init | private func hidden() {} | public init?(x: Int) { }
class Model | @MainActor final class Model: ObservableObject { | @Published var name: String = ""
class Model > func load | func load() async { } | func load() async { }
protocol Store | protocol Store { func get() -> Int } | protocol Store { func get() -> Int }
"#,
    ),
    (
        "c",
        r#"/* ring.c -- a ring buffer
 * Copyright (C) 1999
 */
#include <stdio.h>

#define MAX(a, b) \
    { (a) > (b)

typedef struct ring {
    int head; /* where to read */
} ring_t;

typedef int (*callback)(void *, int);
struct forward;
static int hidden(void);

/* Puts one in. */
static int
put(struct ring *r, const char *s)
{
#if A
    if (s) {
#else
    if (!s) {
#endif
        return call(s, '{', "int no(void) {");
    }
}

struct ring *ring_new(int size, void (*f)(int)) { return 0; }
enum color { RED, GREEN };
extern int ring_size(const struct ring *r) __attribute__((pure));
int ZEXPORT deflate OF((z_streamp strm, int flush));
/* The number of rings. */
int rings = 0;
"#,
        r"
 | /* ring.c -- a ring buffer | /* ring.c -- a ring buffer
define MAX | #define MAX(a, b) \ | { (a) > (b)
typedef ring_t | typedef struct ring { | } ring_t;
typedef callback, struct forward | typedef int (*callback)(void *, int); | struct forward;
hidden | static int hidden(void); | static int hidden(void);
 | /* Puts one in. */ | }
ring_new | struct ring *ring_new(int size, void (*f)(int)) { return 0; } | struct ring *ring_new(int size, void (*f)(int)) { return 0; }
enum color | enum color { RED, GREEN }; | enum color { RED, GREEN };
ring_size | extern int ring_size(const struct ring *r) __attribute__((pure)); | extern int ring_size(const struct ring *r) __attribute__((pure));
ZEXPORT | int ZEXPORT deflate OF((z_streamp strm, int flush)); | int ZEXPORT deflate OF((z_streamp strm, int flush));
rings | /* The number of rings. */ | int rings = 0;
",
    ),
    (
        "hpp",
        r#"#pragma once
namespace a::b {
/// A stack of things.
template <typename T, int N = 3>
class Stack : public Base<T> {
 public:
  explicit Stack(int n) : n_(n) {}
  ~Stack();
  [[nodiscard]] virtual const T& top() const noexcept override = 0;
  bool operator==(const Stack& other) const { return f(R"x(" class No { )x"); }
 private:
  int n_ = 1'000;
};
extern "C" {
int puts(const char* s);
}
inline auto make(int a) -> Stack<int> { return g(a); }
enum class Mode : int { A, B };
void Stack<T>::push(T t) { }
}
"#,
        r#"
namespace a::b > class Stack | namespace a::b { | public:
namespace a::b > class Stack > Stack, ~Stack, top, operator== | explicit Stack(int n) : n_(n) {} | bool operator==(const Stack& other) const { return f(R"x(" class No { )x"); }
namespace a::b > class Stack > n_ | int n_ = 1'000; | int n_ = 1'000;
namespace a::b > puts, make | int puts(const char* s); | inline auto make(int a) -> Stack<int> { return g(a); }
namespace a::b > enum Mode | enum class Mode : int { A, B }; | enum class Mode : int { A, B };
namespace a::b > Stack<T>::push | void Stack<T>::push(T t) { } | void Stack<T>::push(T t) { }
"#,
    ),
    (
        "rb",
        r##"# Reads feeds from the net.

require 'x'

module Feed
  # Reads one feed.
  class Reader < Base
    # Who reads it.
    attr_reader :name
    def self.open(path, mode = { a: "}" })
      text = <<~EOS
        def no
        end
      EOS
      words = %w[def nor]
      s = "#{"def x"} {"
    end
    def each? = true
    private def hidden; end
  end
=begin
  def comment
=end
end
"##,
        r#"
 | # Reads feeds from the net. | # Reads feeds from the net.
module Feed > class Reader | module Feed | class Reader < Base
module Feed > class Reader > attr_reader :name | # Who reads it. | attr_reader :name
module Feed > class Reader > def self.open | def self.open(path, mode = { a: "}" }) | end
module Feed > class Reader > def each?, hidden | def each? = true | private def hidden; end
module Feed | =begin | end
"#,
    ),
    (
        "php",
        r"<p>function no() {</p>
<?php
/**
 * Handles all carts.
 */
namespace App\Cart;

#[Entity]
final class Cart extends Base implements A
{
    /** The items. */
    private array $items = [];
    public ?string $name = null;
    public function __construct(private int $a, string $b = '{') {}
    abstract protected function hidden(): void;
    /** Adds one. */
    public static function &add(Item $i): ?self
    {
        $s = <<<EOT
        function no() {
        EOT;
        $f = function () use ($s) { };
    }
}
interface HasName { public function name(): string; }
function helper(int ...$n): int { return 1; }
?>
function html() {
",
        r"
namespace App\Cart | /** | namespace App\Cart;
class Cart | #[Entity] | final class Cart extends Base implements A
class Cart > $items | /** The items. */ | private array $items = [];
class Cart > $name | public ?string $name = null; | public ?string $name = null;
class Cart > function __construct, hidden | public function __construct(private int $a, string $b = '{') {} | abstract protected function hidden(): void;
class Cart > function add | /** Adds one. */ | }
interface HasName | interface HasName { public function name(): string; } | interface HasName { public function name(): string; }
function helper | function helper(int ...$n): int { return 1; } | function helper(int ...$n): int { return 1; }
 | ?> | function html() {
",
    ),
    (
        "sh",
        r#"#!/bin/sh
# Backs the machine up.

set -e
# Copies one folder.
copy() {
  cat <<EOF
no() {
EOF
  echo "$(echo "x() {")" ${#a} \'
}
function clean-up {
  echo 'no2() {
  '
}
_private() { :; }
"#,
        r"
 | #!/bin/sh | set -e
function copy | # Copies one folder. | }
function clean-up | function clean-up { | }
function _private | _private() { :; } | _private() { :; }
",
    ),
    (
        "sh",
        r#"#!/bin/bash
set -euo pipefail
cd "$(dirname "$0")"

# Where it goes.
TARGET=/srv/www

deploy() {
  rsync -a ./ "$TARGET"
}

deploy
echo "deployed to the target"
"#,
        r#"
 | #!/bin/bash | TARGET=/srv/www
function deploy | deploy() { | }
 | deploy | echo "deployed to the target"
"#,
    ),
    (
        "sql",
        r#"-- The schema of the shop.

-- All who may buy.
CREATE TABLE IF NOT EXISTS "shop".users (
    id int PRIMARY KEY, -- never reused; really
    name text DEFAULT 'a;''b'
);
INSERT INTO users VALUES ('CREATE TABLE no (');
create or replace function total(a int, b text)
returns int as $body$
  create table no (a int);
$body$ language sql;
CREATE UNIQUE INDEX idx ON users (name);
CREATE VIEW v AS
SELECT 1;
COMMENT ON TABLE users IS 'Buyers';
"#,
        r#"
 | -- The schema of the shop. | -- The schema of the shop.
table "shop".users | -- All who may buy. | );
 | INSERT INTO users VALUES ('CREATE TABLE no ('); | INSERT INTO users VALUES ('CREATE TABLE no (');
function total | create or replace function total(a int, b text) | $body$ language sql;
index idx | CREATE UNIQUE INDEX idx ON users (name); | CREATE UNIQUE INDEX idx ON users (name);
view v | CREATE VIEW v AS | SELECT 1;
 | COMMENT ON TABLE users IS 'Buyers'; | COMMENT ON TABLE users IS 'Buyers';
"#,
    ),
    (
        "lua",
        r"--- Strings for all.
-- And more.

local M = {}

--- Trims both ends.
function M.trim(s)
  local t = [==[ function no() ]==]
  --[[ function nor() ]]
end
local function hidden() end
M.split = function(s, sep)
end
function M:go(a) end
",
        r"
 | --- Strings for all. | -- And more.
local M | local M = {} | local M = {}
function M.trim | --- Trims both ends. | end
function hidden, M.split, M:go | local function hidden() end | function M:go(a) end
",
    ),
    (
        "ex",
        r##"defmodule Shop.Cart do
  @moduledoc """
  All about carts.
  """
  @doc """
  Adds one.

      def no(a)
  """
  @spec add(t, item) :: t
  def add(%Cart{} = cart, item) do
    x = ~s(def nor)
    ?"
  end
  defp hidden(a), do: a
  @typedoc "A cart."
  @type t :: %Cart{a: 1}
  @limit 3
  def size(cart), do: "#{"}"}"
end
"##,
        r##"
defmodule Shop.Cart | defmodule Shop.Cart do | All about carts.
defmodule Shop.Cart > def add | @doc """ | end
defmodule Shop.Cart > defp hidden | defp hidden(a), do: a | defp hidden(a), do: a
defmodule Shop.Cart > @type t, @limit | @typedoc "A cart." | @limit 3
defmodule Shop.Cart > def size | def size(cart), do: "#{"}"}" | def size(cart), do: "#{"}"}"
"##,
    ),
    (
        "hs",
        r#"{-# LANGUAGE X #-}
-- | Parsing of things.
module Data.Parse (parse, Tree(..)) where

import Data.List

-- | A tree.
data Tree a
  = Leaf        -- ^ nothing
  | Node a '"'
  deriving (Show)

{- parse :: no {- nested -} -}
-- | Parses a text.
parse, parse'
  :: String
  -> Tree a
parse s = foldl' f "x :: y" s

class Shape a where
  -- | Its size.
  area :: a -> Int
instance Shape Int where
  area x = x
"#,
        r#"
module Data.Parse | -- | Parsing of things. | module Data.Parse (parse, Tree(..)) where
data Tree | -- | A tree. | deriving (Show)
parse, parse' | {- parse :: no {- nested -} -} | parse s = foldl' f "x :: y" s
class Shape | class Shape a where | class Shape a where
class Shape > area | -- | Its size. | area :: a -> Int
instance Shape Int > area | instance Shape Int where | area x = x
"#,
    ),
    (
        "proto",
        r#"syntax = "proto3";
package shop.v1;

// A cart.
message Cart {
  string id = 1; // its key
  oneof x { int32 a = 2; }
}
service Carts {
  // Gets one.
  rpc Get(GetRequest) returns (Cart);
}
"#,
        r"
message Cart | // A cart. | }
service Carts | service Carts { | service Carts {
service Carts > rpc Get | // Gets one. | rpc Get(GetRequest) returns (Cart);
",
    ),
    (
        "tf",
        r#"# The network of the shop.

resource "aws_vpc" "main" {
  cidr = "${var.cidr["a"]}"
  tags = {
  }
}
# Where it runs.
variable "region" {
  description = "The region {"
  default     = "eu"
}
output "id" { value = 1 }
"#,
        r#"
 | # The network of the shop. | # The network of the shop.
resource "aws_vpc" "main" | resource "aws_vpc" "main" { | }
variable "region" | # Where it runs. | }
output "id" | output "id" { value = 1 } | output "id" { value = 1 }
"#,
    ),
    (
        "ts",
        r"export function one<T>(a: T): T {
  return <T>a;
}
abstract class Base {
  protected abstract size(): number;
  @Input() name = '';
}
export { a, b } from './c';
export namespace inner {
  export const LIMIT = 3;
}
interface Shape {
  area(): number;
}
",
        r"
function one | export function one<T>(a: T): T { | }
class Base | abstract class Base { | abstract class Base {
class Base > size | protected abstract size(): number; | protected abstract size(): number;
class Base > name | @Input() name = ''; | @Input() name = '';
namespace inner > const LIMIT | export namespace inner { | export const LIMIT = 3;
interface Shape | interface Shape { | }
",
    ),
    (
        "h",
        r#"#ifndef RING_H
#define RING_H
#ifdef __cplusplus
extern "C" {
#endif

/* Puts one in. */
int put(struct ring *r);
int take(struct ring *r);
#define RING_MAX 3

typedef struct ring ring_t;
struct ring {
    int head;
};
#ifdef __cplusplus
}
#endif
#endif /* RING_H */
"#,
        r"
put | /* Puts one in. */ | int put(struct ring *r);
take | int take(struct ring *r); | int take(struct ring *r);
define RING_MAX, typedef ring_t | #define RING_MAX 3 | typedef struct ring ring_t;
struct ring | struct ring { | };
",
    ),
];

/// Names that the longest case of an extension declares.
pub(super) const NAMES: &[(&str, &str)] = &[
    ("rs", "Retry max backoff hidden nested private public alone LIMIT on_unix puts Store get gen inner Name"),
    ("py", "Point x: y: Shape area helper told _hidden shown last Options name: size:"),
    ("js", "add sub mul LIMIT hidden Box #size constructor open size _secret exports.make run stop"),
    ("ts", "one Base size name inner LIMIT Shape area"),
    ("tsx", "Props name size Mode Pair Level Low High View App x y render go module function main"),
    ("go", "package Retry Max Low High hidden Backoff private Reader Read Map"),
    ("java", "Store SIZE names get hidden size Pair Color RED Mark value"),
    ("kt", "User name tags Result code map Color GREEN Registry all find no twice"),
    ("scala", "Count word add local x Main Limit Tree"),
    ("cs", "A.B Sender n Name SendAsync Hidden Point IStore Get"),
    ("swift", "Point x add hidden init Model name load Store get"),
    ("c", "MAX ring ring_t callback forward hidden put ring_new color RED ring_size deflate rings"),
    ("h", "put take RING_MAX ring_t ring head"),
    ("hpp", "a::b Stack ~Stack top operator== n_ puts make Mode Stack<T>::push"),
    ("rb", "Feed Reader attr_reader name open each? hidden"),
    ("php", "Cart items name __construct hidden add HasName helper html"),
    ("sh", "copy clean-up _private"),
    ("sql", "users id name total idx v"),
    ("lua", "M trim hidden split go"),
    ("ex", "Shop.Cart add hidden t limit size"),
    ("hs", "Data.Parse Tree Leaf Node parse parse' Shape area"),
    ("proto", "Cart id x a Carts Get"),
    ("tf", "aws_vpc main cidr tags region default id"),
];
